"""Compile the loops of the package: ``python -m book._ext.execution.compile_loops``.

What is compiled is kept beside the package that the interpreter finds.  A script without imports of
the repository, for the interpreter of another environment, too.
"""

import numpy as np

import pdpbook as pb

game = pb.NVOGame(np.array([3, 0, 1]), pb.laplace_kernel(3, [0.1, 1.0]), epsilon=1.0)
profile = pb.coordinated_best_response(game).profile
outcome = game.evaluate(profile)
assert outcome.is_nash() and outcome.private.any() and outcome.losses.any()
pb.privacy_losses(np.eye(2), [1.0, 1.0], 2)
pb.approximate_enumeration(
    game, rng=np.random.default_rng(0), generations=1, population=4, parents=2, elites=1
)
