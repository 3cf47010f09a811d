"""The tests that the answers to a chapter's exercises go through, wrong ones and right ones."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from pdpbook_exercises import check


def answer_tests(
    chapter: str,
    wrong: Mapping[str, Sequence[tuple[Any, str]]],
    right: Mapping[str, Sequence[Any]],
) -> tuple[Callable[..., None], Callable[..., None]]:
    """Two tests: wrong answers are refused with the words beside them, right variants pass."""
    refused = [(title, *each) for title, answers in wrong.items() for each in answers]
    passing = [(title, answer) for title, answers in right.items() for answer in answers]

    @pytest.mark.parametrize(("title", "answer", "words"), refused)
    def wrong_answers(title: str, answer: Any, words: str) -> None:
        result = check(f"{chapter}/{title}", answer)
        assert not result and words in result.message, result.message

    @pytest.mark.parametrize(("title", "answer"), passing)
    def right_answers(title: str, answer: Any) -> None:
        result = check(f"{chapter}/{title}", answer)
        assert result, result.message

    return wrong_answers, right_answers
