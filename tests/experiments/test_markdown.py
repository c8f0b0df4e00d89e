from __future__ import annotations

from annealco.experiments.markdown import as_list, as_number, as_table


def test_tables_have_a_line_of_dashes_and_as_many_cells_everywhere() -> None:
    lines = as_table(["a", "b", "c"], [["1", "2", "x|y"], ["", "-", "3"]]).splitlines()
    assert lines[1] == "|---|---|---|"
    assert [line.replace(r"\|", "").count("|") for line in lines] == [4] * 4


def test_numbers_and_lists() -> None:
    assert as_number(1 / 3, 0.25, 2) == "0.33 ± 0.25"
    assert as_number(2) == "2.0000"
    assert as_list(["a * b", "* c"]) == "* a * b\n* \\* c"
    assert as_list([]) == ""
