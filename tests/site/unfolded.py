"""What is wrong with a page all of whose folds are open, on a phone and on two wide screens."""

from typing import Any

from playwright.sync_api import Page

DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 400, "height": 800}
WITH_MARGIN = {"width": 1600, "height": 900}
FRAMES = "() => new Promise(f => requestAnimationFrame(() => requestAnimationFrame(f)))"
OPEN = """() => {
    window.folded = [...document.querySelectorAll("article details:not([open])")];
    folded.forEach(fold => fold.open = true);
}"""
CLOSE = "() => folded.forEach(fold => fold.open = false)"
SCROLLS = "box => box.scrollWidth > box.clientWidth + 1"
# Formulas that end at the edge of their box; they would be read as others.
CUT = """() => [...document.querySelectorAll("article mjx-container[display=true]")]
    .filter(box => box.scrollWidth > box.clientWidth + 1)
    .map(box => `${box.scrollWidth - box.clientWidth} px of ${box.textContent.slice(0, 60)}`)"""
# Tables that scroll.
SCROLLING = f"""() => [...document.querySelectorAll(".pst-scrollable-table-container")]
    .filter({SCROLLS})
    .map(box => [box.querySelector("table").id, box.scrollWidth, box.clientWidth].join(" "))"""
# What cells have printed that is wider than its box.
PRINTED = f"""() => [...document.querySelectorAll("article .cell_output :is(.output, pre)")]
    .filter(box => box.checkVisibility()).filter({SCROLLS})
    .map(box => [box.textContent.trim().slice(0, 60), box.scrollWidth, box.clientWidth].join())"""
# How far notes of the margin reach below what their sections hold.
HOLES = """() => [...document.querySelectorAll("article aside.margin")].map(note => {
    const inside = [...note.closest("section").children]
        .filter(box => box !== note && box.checkVisibility());
    const low = Math.max(...inside.map(box => box.getBoundingClientRect().bottom));
    return [note.textContent.trim().slice(0, 60), note.getBoundingClientRect().bottom - low];
})"""
# Of each table that scrolls: whether it fades where it goes on, and how far from its left edge the
# names of its rows stand when it has been scrolled to its end; null if no column names them.
ROW_NAMES = f"""() => [...document.querySelectorAll(".pst-scrollable-table-container")]
    .filter({SCROLLS})
    .map(box => {{
        const fades = box.matches(".more"), stub = box.querySelector("tbody .stub");
        box.scrollTo({{left: box.scrollWidth, behavior: "instant"}});
        const [at, edge] = [stub ?? box, box].map(each => each.getBoundingClientRect().x);
        box.scrollTo({{left: 0, behavior: "instant"}});
        return [box.textContent.trim().slice(0, 60), fades, stub ? Math.abs(at - edge) : null];
    }})"""
ON_A_LAPTOP = {"formula is cut": CUT, "table scrolls": SCROLLING, "printed line is cut": PRINTED}


def unfold(tab: Page) -> None:
    """Open all that is folded in a page."""
    tab.evaluate(OPEN)
    tab.evaluate(FRAMES)


def fold(tab: Page) -> None:
    """Close what was opened."""
    tab.evaluate(CLOSE)
    tab.evaluate(FRAMES)


def faults_of_tables(tables: list[Any]) -> list[str]:
    """Say what is wrong with tables that scroll on a phone, as `ROW_NAMES` finds them."""
    found = []
    for text, fades, off in tables:
        if not fades:
            found.append(f"400 px: a table does not fade where it goes on: {text}")
        if off is None:
            found.append(f"400 px: no column names the rows of {text}")
        elif off > 2:
            found.append(f"400 px: the names of rows are {off} px out of sight: {text}")
    return found


def faults_of_notes(width: int, notes: list[Any]) -> list[str]:
    """Say which notes of the margin leave a hole in the text, as `HOLES` finds them."""
    return [
        f"{width} px: a note leaves a hole of {low} px: {text}" for text, low in notes if low > 1
    ]


def faults_on_a_laptop(tab: Page) -> list[str]:
    """Say what is too wide for a laptop in the page that a tab shows unfolded."""
    return [
        f"1280 px: {kind}: {cut}"
        for kind, look in ON_A_LAPTOP.items()
        for cut in tab.evaluate(look)
    ]
