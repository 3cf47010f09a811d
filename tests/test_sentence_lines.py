"""Pages have one sentence a line, and nothing but their lines changes when they get it."""

from pathlib import Path

import pytest

from tests.tools.sentence_lines import formatted, pages, sentences, unformatted


@pytest.mark.parametrize("page", pages([]), ids=lambda page: page.stem)
def test_one_sentence_a_line(page: Path) -> None:
    fault = unformatted(page)
    assert fault is None, f"{fault}\n`make format` does it"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two? Three", ["One.", "Two?", "Three"]),
        ("(It is large.) Its loss is 2.5 nats.", ["(It is large.)", "Its loss is 2.5 nats."]),
        ("See Fig. 3 of A. Smith et al. Then", ["See Fig. 3 of A. Smith et al. Then"]),
        ("Take $a. B$ and `c. D`. $K$ bins", ["Take $a. B$ and `c. D`.", "$K$ bins"]),
        ("See [One. Two](#a). *All* stay.", ["See [One. Two](#a).", "*All* stay."]),
        ("In the year 7. 8 bins", ["In the year 7.", "8 bins"]),
        ("In the year. 8. bins", ["In the year. 8. bins"]),  # "8." would begin a list
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_what_is_no_prose_stays() -> None:
    kept = [
        *("---", "a: 1. B", "---", "", "(label)=", "# Title. More", ""),
        *("| a. B | c |", "|:--|:--|", "", "$$", "x. Y", "$$ (eq-x)", ""),
        *("```python", "x  # One. Two", "```", "", "```{code-cell}", "# One. Two", "```", ""),
        *("a: break that  ", "is meant. Kept", ""),
        *("{.class-of-the-next}", "[A link](#a)", ""),
    ]
    assert formatted("\n".join(kept)).split("\n") == kept


def test_lists_directives_and_captions() -> None:
    source = [
        *("- one. Two", "  three", "- four", "", ":::{prf:proof}", "One.", "two. Three", ":::"),
        *("```{code-cell}", "---", "caption: |", "  Aa. B", "  c", "alt: A. B", "---", "x", "```"),
        *("Five. Six", ""),
    ]
    assert formatted("\n".join(source)).split("\n") == [
        *("- one.", "  Two three", "- four", "", ":::{prf:proof}", "One. two.", "Three", ":::"),
        *("```{code-cell}", "---", "caption: |", "  Aa.", "  B c", "alt: A. B", "---", "x", "```"),
        *("Five.", "Six", ""),
    ]


def test_terms_of_the_glossary_stay_terms() -> None:
    source = ["```{glossary}", "one", "other", "  What", "  both are. See", "", "next", "```"]
    wanted = ["```{glossary}", "one", "other", "  What both are.", "  See", "", "next", "```"]
    assert formatted("\n".join(source)).split("\n") == wanted
