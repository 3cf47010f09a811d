"""Another arithmetic than that of this machine, in which ``make nbval`` executes the pages.

A sum depends in its last bits on the order in which a processor adds, and a linear program with
many optima makes of the last bits another answer.  ``make outputs`` stores what the pages print on
the machine of whoever wrote them.  ``make nbval`` executes them as a processor without vector
instructions would, one that fuses no multiplication with an addition: the oldest kernels of
OpenBLAS, one thread, NumPy without its faster loops.  So each page is computed in two ways, and
what its checked cells print is compared letter by letter.

``python -m tests.tools.arithmetic`` prints the environment in which the libraries do so, for
``env``.
"""

import platform

import numpy as np

#: The oldest kernels that OpenBLAS has for a kind of processor.
OLDEST = {"x86_64": "Nehalem", "AMD64": "Nehalem", "aarch64": "ARMV8", "arm64": "ARMV8"}


def other_arithmetic() -> dict[str, str]:
    """Return the environment in which the libraries compute as on the oldest processor."""
    found = np.show_config(mode="dicts") or {}
    faster = found.get("SIMD Extensions", {}).get("found", [])
    return {
        "OPENBLAS_CORETYPE": OLDEST.get(platform.machine(), ""),
        "OPENBLAS_NUM_THREADS": "1",
        "NPY_DISABLE_CPU_FEATURES": ",".join(faster),
    }


if __name__ == "__main__":
    print(*(f"{name}={value}" for name, value in other_arithmetic().items()))
