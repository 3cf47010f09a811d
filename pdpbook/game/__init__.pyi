from .best_response import BestResponse, best_response_dynamics
from .coordinated import coordinated_best_response
from .genetic import Enumeration, approximate_enumeration
from .nvo_game import NVOGame, Outcome
from .optimum import Certificate, certified_optimum
from .proof_file import formal_proof
from .solution import Solution

__all__ = [
    "BestResponse",
    "Certificate",
    "Enumeration",
    "NVOGame",
    "Outcome",
    "Solution",
    "approximate_enumeration",
    "best_response_dynamics",
    "certified_optimum",
    "coordinated_best_response",
    "formal_proof",
]
