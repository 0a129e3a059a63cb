"""Data sets found from tables, and bits from counts, against brute force and the bounds."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations_with_replacement, product

import numpy as np
import pandas as pd
import pytest
from scipy.linalg import hadamard

from minimaxdp import reconstruction as rc
from minimaxdp.certify import Refused

KINDS = pd.DataFrame(list(product("FM", [0, 1, 2], "or")), columns=["sex", "age", "home"])
TRIO = pd.DataFrame([("F", 0, "o"), ("F", 2, "r"), ("M", 1, "o")], columns=KINDS.columns)


def tables_of(people: pd.DataFrame, *columns: str) -> dict[str, pd.Series]:
    return {name: rc.count_table(people, KINDS, name.split()) for name in columns}


def counted(people: pd.DataFrame) -> tuple[int, ...]:
    return tuple(rc.count_table(people, KINDS, list(KINDS)).tolist())


def incidence(table: pd.Series) -> np.ndarray:
    """Which kinds are counted in which published cell, one person at a time."""
    columns = list(table.index.names)
    own = [rc.count_table(KINDS.iloc[[i]], KINDS, columns) for i in range(len(KINDS))]
    return np.array([counts.reindex(table.index) for counts in own]).T


def data_sets(most: int) -> np.ndarray:
    """Every data set of at most so many people, as counts of the kinds."""
    return np.array(
        [
            np.bincount(chosen, minlength=len(KINDS))
            for people in range(most + 1)
            for chosen in combinations_with_replacement(range(len(KINDS)), people)
        ]
    )


def by_brute_force(tables: dict[str, pd.Series], people: int) -> set[tuple[int, ...]]:
    """All data sets, each held against every cell."""
    every = data_sets(people)
    agrees = np.ones(len(every), dtype=bool)
    for table in tables.values():
        agrees &= (every @ incidence(table).T == table.to_numpy()).all(axis=1)
    return {tuple(row) for row in every[agrees].tolist()}


@pytest.mark.parametrize("seed", range(4))
def test_all_data_sets_that_agree_are_found(seed: int) -> None:
    rng = np.random.default_rng(seed)
    people = KINDS.iloc[rng.integers(0, len(KINDS), 3)]
    tables = tables_of(people, "sex age", "home")
    if seed % 2:  # a cell that is not published says nothing
        tables["sex age"] = tables["sex age"].drop(("F", 1))
    found = rc.solutions(tables, KINDS)
    assert found.complete
    assert {tuple(row) for row in found.counts.tolist()} == by_brute_force(tables, 3)
    assert len(found) == len({tuple(row) for row in found.counts.tolist()})


def test_all_tables_together_leave_the_truth() -> None:
    found = rc.solutions(tables_of(TRIO, "sex age home"), KINDS)
    assert len(found) == 1 and found.complete and found.certain == 3
    assert counted(found.people()) == counted(TRIO)
    assert str(found) == "1 data set agrees with the tables"


def test_a_limit_is_shown_and_nothing_is_certain_then() -> None:
    tables = tables_of(TRIO, "sex")
    every = rc.solutions(tables, KINDS)
    assert every.complete and str(len(every)) in str(every)
    exactly = rc.solutions(tables, KINDS, limit=len(every))
    assert exactly.complete and len(exactly) == len(every)
    some = rc.solutions(tables, KINDS, limit=len(every) - 1)
    assert not some.complete and len(some) == len(every) - 1 and some.certain == 0
    assert str(some).startswith(f"more than {len(some)} data sets")


def test_what_all_data_sets_share_is_certain() -> None:
    people = pd.concat([TRIO, TRIO.iloc[:1]])
    found = rc.solutions(tables_of(people, "sex age", "age home"), KINDS)
    shared = np.min([list(row) for row in found.counts], axis=0).sum()
    assert len(found) > 1 or shared == 4
    assert found.certain == shared


def test_a_contradiction_that_no_single_cell_shows_is_found() -> None:
    # Each pair of the three bits is equal or opposite in a way that three bits cannot be.
    kinds = pd.DataFrame(list(product([0, 1], repeat=3)), columns=list("abc"))
    same, other = [1, 0, 0, 1], [0, 1, 1, 0]
    pairs = {"ab": same, "bc": same, "ac": other}
    tables = {
        name: pd.Series(
            counts, index=pd.MultiIndex.from_tuples(list(product([0, 1], [0, 1])), names=list(name))
        )
        for name, counts in pairs.items()
    }
    with pytest.raises(ValueError, match=r"tables\['ac'\] contradicts the tables before it"):
        rc.solutions(tables, kinds)
    after = tables | {"a": rc.count_table(kinds.iloc[[0, 7]], kinds, ["a"])}
    with pytest.raises(ValueError, match=r"tables\['ac'\] contradicts the tables before it"):
        rc.solutions(after, kinds)


def test_the_kind_that_no_table_limits_is_named() -> None:
    # Women are counted, and there are none; nobody counts the men.
    women = pd.Series([0, 2], index=pd.MultiIndex.from_tuples([("F", 0), ("F", 1)]))
    women.index.names = ["sex", "age"]
    kinds = pd.DataFrame({"sex": ["F", "F", "M"], "age": [0, 1, 1]})
    with pytest.raises(ValueError, match=r"none counts {'sex': 'M', 'age': 1}"):
        rc.solutions({"women": women}, kinds)


def changed(table: pd.Series, value: float) -> pd.Series:
    found = table.astype(float)
    found.iloc[0] = value
    return found


BAD = {
    "must be finite": lambda t: changed(t, np.nan),
    "must be at least 0": lambda t: changed(t, -1),
    "must hold whole numbers": lambda t: changed(t, 0.5),
    "must be at most": lambda t: changed(t, 1e15),
    "must count at most most_people": lambda t: changed(t, 500),
    "must publish at least one cell": lambda t: t.iloc[:0],
    "each cell once": lambda t: pd.concat([t, t]),
    "must be indexed by columns of kinds": lambda t: t.rename_axis(["sex", "height"]),
    "must name each column once": lambda t: t.rename_axis(["sex", "sex"]),
    "must count people of the kinds listed": lambda t: t.rename({"F": "X"}),
    "contradicts tables": lambda t: changed(t, 7),
}


@pytest.mark.parametrize("message", BAD)
def test_a_bad_table_is_named(message: str) -> None:
    tables = tables_of(TRIO, "home", "sex age")
    tables["sex age"] = BAD[message](tables["sex age"])
    with pytest.raises(ValueError, match=rf"tables\['sex age'\].* ?{message}"):
        rc.solutions(tables, KINDS)


def test_other_bad_input_of_tables_is_refused() -> None:
    table = tables_of(TRIO, "sex")
    with pytest.raises(TypeError, match=r"tables\['sex'\] must be a Series"):
        rc.solutions({"sex": [1, 2]}, KINDS)
    with pytest.raises(ValueError, match="tables must hold"):
        rc.solutions({}, KINDS)
    with pytest.raises(ValueError, match="limit the number of people"):
        rc.solutions({"sex": table["sex"].iloc[:1]}, KINDS)
    with pytest.raises(ValueError, match="kinds must be different"):
        rc.solutions(table, pd.concat([KINDS, KINDS.iloc[:1]]))
    with pytest.raises(ValueError, match="kinds must not miss"):
        rc.solutions(table, KINDS.astype(object).replace("F", None))
    with pytest.raises(ValueError, match="people must be of the kinds"):
        rc.count_table(TRIO.replace("F", "X"), KINDS, ["sex"])
    with pytest.raises(ValueError, match="columns must be columns of people"):
        rc.count_table(TRIO[["age"]], KINDS, ["sex"])
    with pytest.raises(ValueError, match="which must be at most 0"):
        rc.solutions(tables_of(TRIO, "sex age home"), KINDS).people(1)


def test_the_closest_data_set_is_closest() -> None:
    rng = np.random.default_rng(3)
    exact = tables_of(TRIO, "sex age", "home")
    tables = {name: table + rng.normal(0, 0.8, len(table)) for name, table in exact.items()}
    every = np.vstack([data_sets(4), counted(rc.closest(tables, KINDS))])
    misfits = sum(abs(every @ incidence(t).T - t.to_numpy()).sum(axis=1) for t in tables.values())
    assert misfits[-1] <= misfits[:-1].min() + 1e-6
    assert counted(rc.closest(tables_of(TRIO, "sex age home"), KINDS)) == counted(TRIO)
    with pytest.raises(ValueError, match=r"tables\['home'\] must be finite"):
        rc.closest(tables | {"home": changed(tables["home"], np.nan)}, KINDS)


METHODS = ("linear programme", "least squares")


@pytest.mark.parametrize("method", METHODS)
def test_wrong_bits_keep_their_bound_for_the_worst_signs(method: str) -> None:
    rng = np.random.default_rng(5)
    met = []
    for size in (8, 16, 32):
        for queries in (hadamard(size)[:, 1:] > 0, rng.integers(0, 2, (3 * size, size))):
            secret = rng.integers(0, 2, queries.shape[1])
            for error in (0.2, 0.5, 1.0):
                answers = queries @ secret + error * rng.choice([-1, 1], len(queries))
                found = rc.from_subset_counts(queries, answers, method=method)
                wrong = (found.bits != secret).sum()
                met.append(wrong)
                assert wrong <= rc.wrong_bits_bound(queries, error, method=method)
                if method == "linear programme":
                    assert found.error <= error + 1e-6
                    assert found.estimate.min() >= -1e-9 and found.estimate.max() <= 1 + 1e-9
    assert max(met) > 0  # the errors are large enough for the bound to matter


def test_least_squares_is_the_least_of_squares() -> None:
    rng = np.random.default_rng(6)
    queries, answers = rng.integers(0, 2, (30, 10)), rng.normal(3, 2, 30)
    found = rc.from_subset_counts(queries, answers, method="least squares")
    expected = np.linalg.lstsq(queries.astype(float), answers, rcond=None)[0]
    assert np.allclose(found.estimate, expected)
    assert np.isclose(found.error, abs(queries @ expected - answers).max())
    assert np.array_equal(found.bits, expected > 0.5)


def test_the_bound_is_the_formula_and_all_people_where_queries_depend() -> None:
    queries = hadamard(16)[:, 1:] > 0
    assert np.allclose(rc.wrong_bits_bound(queries, [0.1, 0.3]), 64 * np.array([0.1, 0.3]) ** 2)
    assert np.isclose(rc.wrong_bits_bound(queries, 0.3, method="least squares"), 16 * 0.09)
    assert rc.wrong_bits_bound(queries, 100) == 15
    assert rc.wrong_bits_bound([[1, 1, 0], [0, 0, 1], [1, 1, 1]], 0.01) == 3
    assert rc.wrong_bits_bound([[1, 1, 0]], 0.01) == 3


def test_bad_queries_and_answers_are_refused() -> None:
    queries = np.eye(3, dtype=int)
    with pytest.raises(ValueError, match="answers must be as many as queries"):
        rc.from_subset_counts(queries, [1, 0])
    with pytest.raises(ValueError, match="answers must be finite"):
        rc.from_subset_counts(queries, [1, 0, np.nan])
    with pytest.raises(ValueError, match="queries must be 0 or 1"):
        rc.from_subset_counts(2 * queries, [1, 0, 0])
    with pytest.raises(ValueError, match="queries must be a matrix"):
        rc.from_subset_counts([1, 0], [1, 0])
    with pytest.raises(ValueError, match="columns are dependent"):
        rc.from_subset_counts(np.ones((3, 2), dtype=int), [1, 1, 1], method="least squares")
    with pytest.raises(ValueError, match="use method='least squares'"):
        rc.from_subset_counts(np.ones((2_000, 1_000), dtype=int), np.ones(2_000))
    with pytest.raises(ValueError, match="method must be one of"):
        rc.from_subset_counts(queries, [1, 0, 0], method="guess")


def test_an_only_solution_is_certified_and_others_are_refused() -> None:
    kinds = pd.DataFrame(list(product("FM", "abc", "xy")), columns=["sex", "age", "tenure"])
    rng = np.random.default_rng(4)
    names, determined = ["sex age", "age tenure", "sex tenure"], 0
    for _ in range(40):
        people = kinds.iloc[rng.integers(0, len(kinds), 5)].reset_index(drop=True)
        tables = {n: rc.count_table(people, kinds, n.split()) for n in names}
        only = len(rc.solutions(tables, kinds)) == 1
        try:
            certificate = rc.only_solution(tables, kinds, people)
        except Refused:
            continue  # another in fractions may agree though none in whole numbers does
        assert only and certificate.verify() and certificate.size > 5
        determined += 1
        with pytest.raises(Refused, match="inverse is not one"):
            replace(certificate, inverse=certificate.inverse[::-1]).verify()
    assert determined > 5


def test_people_who_are_not_in_the_tables_are_refused() -> None:
    kinds = pd.DataFrame({"sex": ["F", "M"]})
    tables = {"sex": rc.count_table(kinds, kinds, ["sex"])}
    assert rc.only_solution(tables, kinds, kinds).verify()
    with pytest.raises(ValueError, match="people must agree"):
        rc.only_solution(tables, kinds, kinds.iloc[:1])
