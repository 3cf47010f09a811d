"""The data files about the sources: nothing missing, nothing unknown, nothing told elsewhere."""

import copy
import re
from types import SimpleNamespace

import pytest
import yaml
from docutils import nodes

import pdpbook as pb
from book._ext.pages import sources
from pdpbook.experiments.replication import replication_results
from pdpbook.experiments.settings import SETTINGS
from pdpbook.game.program import Program
from tests.tools.notebooks import ROOT

BOOK = ROOT / "book"
SOURCES = sources.read_sources(BOOK / "sources")
LABELS = sources.read_labels(BOOK)
ITEMS = [(name, item) for name, source in SOURCES.items() for item in source["items"]]


def test_the_data_are_sound():
    assert sources.faults(SOURCES, LABELS) == []


def test_every_source_is_in_the_bibliography():
    keys = set(re.findall(r"^@\w+\{(\w+),", (BOOK / "references.bib").read_text(), re.MULTILINE))
    assert {source["source"] for source in SOURCES.values()} <= keys


def one_item(**changes):
    """A sound source of one item, with some of its fields changed or, by None, removed."""
    item = {
        "id": "x-1", "kind": "claim", "where": "(1)", "says": "A.", "place": ["theorem-one"],
        "verdict": "slip",
        "erratum": {
            "title": "(1)", "printed": "B.", "fair": "C.", "right": "D.", "matters": "No.",
            "severity": "print", "conclusion": False,
        },
        "ledger": {"claim": "E", "printed": "1", "verdict": "**slip**"},
    }  # fmt: skip
    item |= changes
    item = {field: value for field, value in item.items() if value is not None}
    return {"x": {"source": "ryu2024nvo", "title": "X", "items": [item]}}


SLIP = one_item()["x"]["items"][0]["erratum"]


def test_the_checks_accept_a_sound_source():
    assert sources.faults(one_item(), LABELS) == []
    concept = one_item(verdict="concept", place=[], erratum=None, ledger=None)
    assert sources.faults(concept, LABELS) == []


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"place": []}, "has no place"),
        ({"place": ["theorem-one", "theorem-two"]}, "no page has the label theorem-two"),
        ({"place": None}, "place is missing"),
        ({"says": " "}, "says is empty"),
        ({"where": 10}, "where must be str, got 10"),
        ({"kind": "guess"}, "unknown kind guess"),
        ({"verdict": "wrong"}, "unknown verdict wrong"),
        ({"note": "more"}, "unknown field note"),
        ({"erratum": {"title": "A"}}, "erratum: fair is missing"),
        ({"erratum": SLIP | {"severity": "grave"}}, "grave"),
        ({"erratum": SLIP | {"conclusion": "no"}}, "must be bool"),
        ({"ledger": {"claim": "A", "printed": "1"}}, "ledger: verdict is missing"),
        ({"ledger": {"claim": "A", "printed": 0.1, "verdict": "B"}}, "printed must be str"),
        ({"erratum": None}, "is slip, and neither has an erratum nor names one"),
        ({"erratum": None, "see": "x-2"}, "no item x-2 has an erratum"),
        ({"verdict": "right", "ledger": None}, "is right, and has an erratum"),
        ({"verdict": "reproduced", "ledger": None}, "is reproduced, and has an erratum"),
        ({"verdict": "partly", "ledger": None}, "is partly, and has an erratum"),
        ({"verdict": "open", "ledger": None}, "is open, and has an erratum"),
        ({"verdict": "impossible", "erratum": None}, "is impossible, and neither has an erratum"),
        (
            {"verdict": "inferred", "erratum": None, "ledger": None, "see": "x-1"},
            "is inferred, and names an erratum by see",
        ),
        (
            {"verdict": "reproduced", "erratum": None, "ledger": None},
            "does not say by compared which figures or relation",
        ),
        ({"compared": [{"relation": "A"}]}, "compared 1: verdict is missing"),
        ({"compared": [{"table": 1, "verdict": "reproduced"}]}, "compared 1: measure is missing"),
        ({"compared": [{"relation": "A", "verdict": "open"}]}, "verdict must be of inferred"),
        (
            {"compared": [{"relation": "A", "verdict": "inferred"}]},
            "is inferred, which the item does not say",
        ),
        (
            {
                "verdict": "reproduced", "erratum": None, "ledger": None,
                "compared": [
                    {
                        "table": 1, "algorithm": "BRD", "measure": "kl_divergence",
                        "epsilons": [1], "setting": "inferred", "verdict": "reproduced",
                    }
                ],
            },
            "is reproduced with the inferred settings",
        ),
        ({"verdict": "open"}, "its verdict is open, but its row of the ledger names slip"),
        ({"ledger": {"claim": "A", "printed": "1", "verdict": "slip"}}, "names no verdict"),
    ],
)  # fmt: skip
def test_the_checks_see_each_kind_of_fault(changes, said):
    found = sources.faults(one_item(**changes), LABELS)
    assert found and all("x-1" in fault for fault in found)
    assert any(said in fault for fault in found)


@pytest.mark.parametrize(
    ("text", "said", "implied"),
    [
        ("**right**, and more", {"right"}, "right"),
        ("**right** for one class; **slip** for the others", {"right", "slip"}, "slip"),
        ("the order is **reproduced**; the minutes are **open**", {"reproduced", "open"}, "partly"),
        ("**reproduced** with the stated settings, *simulated* else", {"reproduced"}, "reproduced"),
        (
            "**impossible with the stated settings**; **reproduced with\ninferred settings**",
            {"impossible", "inferred"}, "inferred",
        ),
        (
            "**impossible**; **reproduced with inferred settings** at 2, *not reproduced* at 1",
            {"impossible", "inferred", "not-reproduced"}, "partly",
        ),
        ("*not reproduced*, **impossible** at 8", {"not-reproduced", "impossible"}, "impossible"),
        (
            "**Reproduced**, **reproduced with inferred settings**",
            {"reproduced", "inferred"}, "inferred",
        ),
        ("**open**: on another machine", {"open"}, "open"),
    ],
)  # fmt: skip
def test_the_verdict_follows_from_the_words_of_the_ledger(text, said, implied):
    assert sources.ledger_verdicts(text) == said
    assert sources.implied_verdict(said) == implied


def test_each_row_of_the_ledger_rules_out_every_other_verdict():
    """With any other verdict than its own an item of the data is refused."""
    rows = [(name, item) for name, item in ITEMS if "ledger" in item]
    assert len(rows) > 30
    for name, item in rows:
        for verdict in set(sources.VERDICTS) - {item["verdict"]}:
            changed = item | {"verdict": verdict}
            assert list(sources.verdict_faults(name, changed)), (item["id"], verdict)


def test_verdicts_are_defined_once_and_shown_where_items_are():
    """The table comes from the code; no page that lists items has a definition of its own."""
    pages = [BOOK / "sources.md", BOOK / "experiments" / "replication.md"]
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert text.count("```{verdicts}") == 1, page
    for verdict in sources.VERDICTS.values():
        sentence = verdict.means.split(".")[0]
        for page in BOOK.rglob("*.md"):
            assert sentence not in page.read_text(encoding="utf-8"), (page, verdict.words)
    assert {item["verdict"] for _, item in ITEMS} == set(sources.VERDICTS)


def test_the_checks_see_an_id_that_is_used_twice():
    twice = one_item()
    twice["x"]["items"] *= 2
    assert sources.faults(twice, LABELS) == ["x.yml: x-1: this id is in x.yml already"]
    two = {**one_item(), "y": one_item()["x"]}
    assert sources.faults(two, LABELS) == ["y.yml: x-1: this id is in x.yml already"]


def test_the_checks_see_a_file_that_is_no_source():
    broken = copy.deepcopy(one_item())
    del broken["x"]["title"]
    assert sources.faults(broken, LABELS) == ["x.yml: title is missing"]
    assert sources.faults({"x": None}, LABELS) == ["x.yml: must be a mapping, got None"]


def test_the_item_that_opens_a_section_stands_in_it_first():
    directive = SimpleNamespace(
        name="items", arguments=["x"], inline=lambda text: [nodes.Text(text)]
    )
    items = [{"id": "a"}, {"id": "b", "section": "Two"}, {"id": "c"}, {"id": "d", "section": "No"}]

    def render(chosen):
        return [nodes.paragraph(text=item["id"]) for item in chosen if item["id"] != "d"]

    before, two = sources.SourceDirective.in_parts(directive, items, render)
    assert before.astext() == "a"
    assert [part.astext() for part in two.children] == ["Two", "b", "c"]
    assert two["ids"] == ["items-x-two"]


def test_labels_are_found_with_their_roles():
    roles = {
        "theorem-one": "ref", "thm-published": "prf:ref", "eq-published-ten": "eq",
        "fig-replication-table-one": "numref", "ex-replication-fit": "ref",
    }  # fmt: skip
    assert {label: LABELS.get(label) for label in roles} == roles


#: What each source numbers, as printed; a list of its own says what the letter A numbers.
NUMBERED = {
    "nvo": {
        "equation": 38, "definition": 5, "remark": 3, "theorem": 1, "algorithm": 1, "figure": 11,
        "table": 4, "footnote": 2,
    },
    "survey": {"equation": 8, "definition": 2, "figure": 1, "table": 1},
    "instance-wise": {"equation": 4, "definition": 1, "figure": 3},
    "personalized": {
        "equation": 6, "appendix equation": 3, "definition": 2, "theorem": 2, "algorithm": 1,
        "figure": 3, "table": 2,
    },
}  # fmt: skip
AND = r"(?:,\s*|\s+and\s+|,\s+and\s+|\s+to\s+|\s*[–-]\s*)"
RANGE = re.compile(r"(\d+)\)?(?:\([a-z]\))?(?:(?:\s+to\s+|\s*[–-]\s*)\(?A?(\d+))?")


def numbers_of(where, kind):
    """The numbers of the equations, figures … that a place in a source names, ranges filled in.

    Equations are in brackets, ``(3), (5)–(7)`` or ``(A1)``; all else is named, ``Figures 2(a) and
    3``, ``Table 1``.
    """
    if kind.endswith("equation"):
        letter = "A" if kind.startswith("appendix") else ""
        named = re.findall(rf"\({letter}\d+\)(?:{AND}\({letter}\d+\))*", where)
    else:
        number = r"\d+(?:\([a-z]\))?"
        named = re.findall(rf"(?i)\b{kind}s? {number}(?:{AND}{number})*", where)
    found = set()
    for first, last in RANGE.findall(" ".join(named)):
        found |= set(range(int(first), int(last or first) + 1))
    return found


@pytest.mark.parametrize(
    ("where", "kind", "numbers"),
    [
        ("(3), (5)–(7)", "equation", {3, 5, 6, 7}),
        ("Problem (5), section 3", "equation", {5}),
        ("(20) to (22)", "equation", {20, 21, 22}),
        ("Theorem 1, (10)", "equation", {10}),
        ("Figure 2(a), (1)", "equation", {1}),
        ("(A1)–(A3), (2)", "appendix equation", {1, 2, 3}),
        ("(A1)–(A3), (2)", "equation", {2}),
        ("Figures 2(a) and 3", "figure", {2, 3}),
        ("Tables 1, 3 and 4, L1 SD loss", "table", {1, 3, 4}),
        ("Section VI-A, figure 5", "figure", {5}),
        ("Section 6, figures", "figure", set()),
        ("Figure 2", "table", set()),
    ],
)
def test_numbers_are_read_from_places(where, kind, numbers):
    assert numbers_of(where, kind) == numbers


@pytest.mark.parametrize(
    ("name", "kind"), [(name, kind) for name, kinds in NUMBERED.items() for kind in kinds]
)
def test_everything_that_a_source_numbers_is_listed(name, kind):
    """For equations and so on of the papers themselves; what has no number is not covered."""
    listed = set()
    for item in SOURCES[name]["items"]:
        listed |= numbers_of(item["where"], kind)
    missing = set(range(1, NUMBERED[name][kind] + 1)) - listed
    assert not missing, f"{name}.yml lists no {kind} {sorted(missing)}"


#: A counter of the paper on noise variance optimization, which has one theorem and no lemma.
BORROWED = re.compile(r"\bLemma\s+1\b|\bTheorem\s+2\b(?!\.\d| of \{cite)|[Pp]aper's\s+[Ll]emma")


def prose_files():
    """All that a reader of the book or of the code sees; the changelog tells of the past."""
    for pattern in ("book/**/*.md", "book/**/*.js", "pdpbook/**/*.py", "docs/**/*.svg"):
        yield from sorted(ROOT.glob(pattern))
    yield from (ROOT / name for name in ("README.md", "ARCHITECTURE.md"))


@pytest.mark.parametrize(
    ("text", "borrowed"),
    [
        ("by Lemma 1 privacy", True),
        ("after Theorem 2 of the paper", True),
        ("stay private (Theorem\n  2).", True),
        ("Dwork & Roth (2014), Theorem 2.2", False),
        ("the paper's Theorem 1", False),
        ("Lemma 12", False),
    ],
)
def test_a_borrowed_counter_is_seen(text, borrowed):
    assert bool(BORROWED.search(text)) is borrowed


def test_no_result_of_the_book_borrows_a_counter_of_the_paper():
    """The linear form of pDP and the theorem on safe starts are results of this book."""
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in prose_files()
        for match in BORROWED.finditer(path.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_the_pages_tell_nothing_but_the_data():
    pages = {name: (BOOK / f"{name}.md").read_text() for name in ("errata", "sources")}
    ledger = (BOOK / "experiments" / "replication.md").read_text()
    pages["ledger"] = ledger.partition("(replication-ledger)=")[2].partition("\n(")[0]
    for name in SOURCES:
        assert pages["sources"].count(f"```{{items}} {name}\n```") == 1
    with_errata = {name for name, item in ITEMS if "erratum" in item}
    assert set(re.findall(r"^```\{errata\} (\S+)$", pages["errata"], re.M)) == with_errata

    with_ledger = {name for name, item in ITEMS if "ledger" in item}
    assert set(re.findall(r"^```\{ledger\} (\S+)$", pages["ledger"], re.M)) == with_ledger
    assert "|" not in pages["ledger"], "a row of the ledger outside the data"


#: A printed table, the experiment that repeats it, and the columns of the package's table.
EXPERIMENTS = {1: "height", 2: "regression", 3: "income", 4: "credit"}
MEASURES = {
    "kl_divergence": "kl", "jaccard_index": "jaccard", "cosine_similarity": "cosine",
    "average_rmse": "rmse",
}  # fmt: skip
RESULTS = replication_results()
COMPARED = [
    (item["id"], part)
    for _, item in ITEMS
    for part in item.get("compared", [])
]  # fmt: skip


def figures(part):
    """The printed and the computed figures of a part of a claim, one pair for each ε."""
    measure, ours = part["measure"], MEASURES[part["measure"]]
    results = RESULTS[RESULTS["experiment"] == EXPERIMENTS[part["table"]]]
    printed = pb.load_published_table(part["table"])
    computed = results[results["setting"] == part["setting"]]
    units = [1.0, 1.0]
    if part.get("unit"):  # both in units of what they have for the original data
        units = [
            float(rows[rows["algorithm"] == part["unit"]][column].iloc[0])
            for rows, column in ((printed, measure), (results, ours))
        ]
    for eps in part["epsilons"]:
        pair = [
            rows[(rows["algorithm"] == part["algorithm"]) & (rows["epsilon"] == eps)][column]
            for rows, column in ((printed, measure), (computed, ours))
        ]
        assert [len(each) for each in pair] == [1, 1], (part, eps)
        yield tuple(float(each.iloc[0]) / unit for each, unit in zip(pair, units, strict=True))


def wrongly_compared(part):
    """Whether the verdict of a part contradicts its figures."""
    setting = {"stated": "reproduced", "inferred": "inferred"}[part["setting"]]
    agree = [
        sources.agrees(setting, part["measure"], theirs, ours) for theirs, ours in figures(part)
    ]
    return any(agree) if part["verdict"] == "not-reproduced" else not all(agree)


TABLED = [(name, part) for name, part in COMPARED if "table" in part]


@pytest.mark.parametrize(("name", "part"), TABLED)
def test_a_verdict_on_figures_keeps_its_tolerance(name, part):
    assert not wrongly_compared(part), (name, list(figures(part)))


def test_a_figure_beyond_the_tolerance_is_refused():
    """What the Laplace mechanism has on the large income data at ε = 1 is 8 % off."""
    part = {
        "table": 4, "algorithm": "Laplace", "measure": "kl_divergence", "setting": "stated",
        "verdict": "reproduced",
    }  # fmt: skip
    assert not wrongly_compared(part | {"epsilons": [2]})
    assert wrongly_compared(part | {"epsilons": [1, 2]})
    assert wrongly_compared(part | {"epsilons": [2], "verdict": "not-reproduced"})
    genetic = part | {"algorithm": "AE", "table": 1, "epsilons": [1], "setting": "inferred"}
    assert wrongly_compared(genetic | {"verdict": "inferred"})


@pytest.mark.parametrize(
    ("verdict", "measure", "computed", "agree"),
    [
        ("reproduced", "kl_divergence", 0.525, True),
        ("reproduced", "kl_divergence", 0.526, False),
        ("inferred", "kl_divergence", 0.126, True),
        ("inferred", "kl_divergence", 0.124, False),
        ("inferred", "average_rmse", 0.526, False),
        ("reproduced", "cosine_similarity", 0.509, True),
        ("inferred", "jaccard_index", 0.511, False),
    ],
)
def test_the_tolerances(verdict, measure, computed, agree):
    assert sources.agrees(verdict, measure, 0.5, computed) is agree


def test_half_of_the_last_printed_digit_is_allowed_for():
    assert sources.agrees("reproduced", "kl_divergence", 0.0005, 0.00054)
    assert not sources.agrees("reproduced", "kl_divergence", 0.0005, 0.00056)


def rows(experiment, setting="stated", **chosen):
    """The rows of an experiment with one setting, by algorithm and ε."""
    found = RESULTS[(RESULTS["experiment"] == experiment) & (RESULTS["setting"] == setting)]
    return found.set_index(["algorithm", "epsilon"]).sort_index()


def larger_data_are_easier():
    """Best responses on the heights, and on data with eight records for each of them."""
    game = SETTINGS["stated"].game(pb.load_heights()["height"], epsilon=1.0)
    more = pb.NVOGame(8 * game.counts, game.kernel, epsilon=1.0)
    ends = [
        pb.best_response_dynamics(each, start=each.constant_profile(0)) for each in (game, more)
    ]
    return ends[1].divergence <= ends[0].divergence


def better_in_every_measure():
    for experiment in ("height", "income", "credit"):
        table = rows(experiment)
        game, laplace = table.loc["BRD"], table.loc["Laplace"]
        yield (game[["kl", "sd_data"]] < laplace[["kl", "sd_data"]]).all(axis=None)
        yield (game[["jaccard", "cosine"]] > laplace[["jaccard", "cosine"]]).all(axis=None)


def slower(experiment):
    table = rows(experiment)
    return bool((table.loc["AE"]["seconds"] > table.loc["BRD"]["seconds"]).all())


def errors_in_order():
    table = rows("regression")["rmse"]
    original = RESULTS[RESULTS["algorithm"] == "original"]["rmse"].iloc[0]
    near = table.loc["BRD", 8.0] <= (1 + sources.TOLERANCE) * original
    return near and bool((table.loc["BRD"] < table.loc["Laplace"]).all())


def saved_on_income():
    table = rows("income", "inferred")["kl"]
    return round(100 * (1 - table["BRD", 4.0] / table["Laplace", 4.0]), 2) == 99.71


#: What each relation that an item names says of our results.
RELATIONS = {
    "nvo-private": lambda: all(
        (rows(experiment, setting)["private"] == rows(experiment, setting)["records"]).all()
        for experiment in ("height", "income", "credit")
        for setting in SETTINGS
    ),
    "nvo-table-1-time": lambda: slower("height"),
    "nvo-table-3-time": lambda: slower("income"),
    "nvo-ae-superior": lambda: any(
        (rows(name, setting).loc["AE"]["kl"] < rows(name, setting).loc["BRD"]["kl"]).any()
        for name in ("height", "income")
        for setting in SETTINGS
    ),
    "nvo-table-2-order": errors_in_order,
    "nvo-9971": saved_on_income,
    "nvo-conclusion-better": lambda: all(better_in_every_measure()),
    "nvo-large-easier": larger_data_are_easier,
}
RELATED = [(name, part["verdict"]) for name, part in COMPARED if "relation" in part]


def test_every_relation_has_its_test():
    assert sorted(name for name, _ in RELATED) == sorted(RELATIONS)


@pytest.mark.parametrize(("name", "verdict"), RELATED)
def test_a_verdict_on_a_relation_is_that_of_our_results(name, verdict):
    assert bool(RELATIONS[name]()) is (verdict != "not-reproduced")


def test_the_linear_program_alone_allows_the_printed_figure():
    """The ledger says 0.0065, for heights at ε = 1 with inferred settings; printed is 0.0066."""
    game = SETTINGS["inferred"].game(pb.load_heights()["height"], epsilon=1.0)
    typical = pb.best_response_dynamics(game, start=game.constant_profile(0)).profile
    typical_outcome = game.evaluate(typical)
    program = Program(game, typical_outcome.mass, typical_outcome.divergence)
    answer = program.solve()
    while program.refine(answer.columns, 1e-7):
        answer = program.solve()
    assert round(answer.bound, 4) == 0.0065


def test_both_tables_of_contents_list_the_page():
    for toc in ("_toc.yml", "_toc_instructor.yml"):
        back = yaml.safe_load((ROOT / toc).read_text())["parts"]
        assert {"file": "book/sources"} in [page for part in back for page in part["chapters"]]
