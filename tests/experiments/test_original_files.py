"""Original files: read whole, or refused with the file, the column and the line."""

import numpy as np
import pytest

import pdpbook as pb

NBA = """\
,player_name,team_abbreviation,player_height,player_weight
0,A,CHI,198.12,99.8
1,B,BOS,228.6,136.1
2,B,BOS,228.6,136.1
3,C,LAL,200.66,100.0
"""


@pytest.fixture(autouse=True)
def without_environment(monkeypatch):
    monkeypatch.delenv("PDPBOOK_DATA", raising=False)


@pytest.fixture
def write(tmp_path):
    def write(text, name="file.csv"):
        file = tmp_path / name
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return file

    return write


def test_a_small_file_is_read(write):
    file = write(NBA)
    np.testing.assert_array_equal(pb.load_heights(file)["height"], [198.12, 228.6])
    np.testing.assert_array_equal(pb.load_players(str(file))["weight"], [99.8, 136.1])


def test_a_byte_order_mark_and_quoted_fields_are_read(write):
    file = write(b"\xef\xbb\xbf" + NBA.replace(",A,", ',"A, Jr.",').encode())
    assert len(pb.load_heights(file)) == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (NBA.replace("player_height", "height"), "must have the column 'player_height' once, got"),
        (
            NBA.replace("player_weight", "player_height"),
            "must have the column 'player_height' once",
        ),
        (NBA.replace("team_abbreviation", "team"), "must have the column 'team_abbreviation'"),
        (NBA.replace("228.6,136.1\n3", "tall,136.1\n3"), "line 4: player_height must be .*'tall'"),
        (NBA.replace("198.12", "nan"), "line 2: player_height must be .* got 'nan'"),
        (NBA.replace("198.12", "inf"), "line 2: player_height must be .* got 'inf'"),
        (NBA.replace("198.12", ""), "line 2: player_height must be .* got ''"),
        (NBA.replace("99.8", "-99.8"), "line 2: player_weight must be .* got '-99.8'"),
        (NBA.replace("198.12", "6.5"), "line 2: player_height must be .*between 100 and 300 cm"),
        (NBA[:-10], "line 5: a row must have 5 fields, got 4"),
        (NBA + "4,D,CHI,201,99,7\n", "line 6: a row must have 5 fields, got 6"),
        (NBA.replace("CHI", "LAL").replace("BOS", "LAL"), "must contain players of ATL"),
        (NBA.splitlines()[0], "must contain a header and at least 1 row, got 1"),
        ("", "must contain a header and at least 1 row, got 0"),
        (b"\xff\xfe\x00player", "is not a csv file in UTF-8"),
        (NBA.replace("A", '"A', 1), "is not a csv file in UTF-8"),
    ],
)
def test_damaged_tables_are_refused(write, text, message):
    file = write(text)
    with pytest.raises(ValueError, match=message) as error:
        pb.load_players(file)
    assert str(file) in str(error.value)


def test_remarks_stand_above_the_header_only(write):
    text = "# a remark\n" + NBA.replace("A", '"A\n# not a remark"', 1)
    assert len(pb.load_heights(write(text))) == len(pb.load_heights(write(NBA)))


@pytest.mark.parametrize(
    ("loader", "text", "message"),
    [
        (pb.load_income, "age,fnlwgt\n30,1\n", "must have the column 'hours-per-week'"),
        (
            pb.load_income,
            "fnlwgt,age,hours-per-week,capital-gain,capital-loss\n5,30,40,0,0\n0,30,40,0,0\n",
            "line 3: fnlwgt must be a number > 0, got '0'",
        ),
        (pb.load_credit, "Age,Income\n30,1000\n?,1\n", "line 3: Age must be a number > 0, got '?'"),
    ],
)
def test_other_damaged_tables_are_refused(write, loader, text, message):
    with pytest.raises(ValueError, match=message):
        loader(write(text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0 1\n0 2\n3\n", "line 3: an edge must be two whole numbers, got b'3'"),
        ("0 1\n0 x\n", "line 2: an edge"),
        ("0 1 2\n", "line 1: an edge"),
        ("0 1\n2 2\n", "line 2: an edge must have two ends, got b'2 2'"),
        ("0 -1\n", "line 1: an edge"),
        ("", "must contain at least one edge"),
        (b"\x89PNG\r\n", "line 1: an edge"),
    ],
)
def test_damaged_networks_are_refused(write, text, message):
    with pytest.raises(ValueError, match=message):
        pb.load_friends(path=write(text, "edges.txt"))


@pytest.mark.parametrize(
    "loader", [pb.load_heights, pb.load_players, pb.load_income, pb.load_credit]
)
def test_missing_files_are_refused(loader, tmp_path):
    for error in (FileNotFoundError, ValueError):  # a missing file is a refused argument, too
        with pytest.raises(error, match=r"there is no file .*, got path='.*nowhere\.csv'$"):
            loader(tmp_path / "nowhere.csv")
    with pytest.raises(FileNotFoundError, match="there is no file"):
        loader(tmp_path)


def test_the_environment_must_name_a_folder_but_need_not_hold_everything(tmp_path, monkeypatch):
    monkeypatch.setenv("PDPBOOK_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(FileNotFoundError, match="PDPBOOK_DATA must be the name of a folder, got"):
        pb.load_income()
    monkeypatch.setenv("PDPBOOK_DATA", str(tmp_path))
    assert pb.load_income().simulated == ("income",)
    assert len(pb.load_heights()) == 1317
