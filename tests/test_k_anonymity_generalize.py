"""k-anonymity: hierarchies, the lattice of levels, and Mondrian."""

from functools import cache
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minimaxdp import k_anonymity as ka

property_test = settings(max_examples=40, deadline=None, derandomize=True)

COLUMNS = ["zip", "age", "job"]
PARENTS = {"nurse": "care", "doctor": "care", "baker": "trade", "care": "*", "trade": "*"}

rows = st.lists(
    st.tuples(
        st.sampled_from(["130", "131", "145", "148"]),
        st.sampled_from([21, 28, 35, 42, 58]),
        st.sampled_from(["nurse", "doctor", "baker", None]),
    ),
    min_size=1,
    max_size=25,
).map(lambda r: pd.DataFrame(r, columns=COLUMNS))


@cache
def hierarchies():
    return {
        "zip": ka.prefixes(["130", "131", "145", "148"]),
        "age": ka.intervals([21, 28, 35, 42, 58], [25, 30, 40], [30]),
        "job": ka.tree_hierarchy(["nurse", "doctor", "baker"], PARENTS),
    }


def nodes():
    heights = [range(h.height + 1) for h in hierarchies().values()]
    return list(product(*heights))


def k_at(table, node):
    levels = dict(zip(COLUMNS, node, strict=True))
    released = ka.generalize(table, hierarchies(), levels, missing="value")
    return ka.k_of(released, COLUMNS, missing="value")


# Hierarchies


def test_labels_of_each_kind():
    h = hierarchies()
    assert h["zip"].labels[2] == ("1**",) * 4 and h["zip"].labels[3] == ("*",) * 4
    assert h["age"].labels[1] == ("<25", "[25, 30)", "[30, 40)", "≥40", "≥40")
    assert h["job"].values == ("baker", "doctor", "nurse")
    assert h["job"].labels[1] == ("trade", "care", "care")
    assert h["job"].names["care"] == {"nurse", "doctor"}
    assert [x.height for x in h.values()] == [3, 3, 2]
    part = ka.set_hierarchy([1, 2, 3], [[1, 2], [3]], suppress=False)
    assert part.labels == (("1", "2", "3"), ("{1, 2}", "{1, 2}", "3"))


def test_every_label_covers_its_values():
    for hierarchy in hierarchies().values():
        for labels in hierarchy.labels:
            for value, label in zip(hierarchy.values, labels, strict=True):
                inside = ka.covers(label, list(hierarchy.values), names=hierarchy.names)
                same = [other == label for other in labels]
                assert inside[hierarchy.values.index(value)] and inside.tolist() == same


def test_a_shallow_leaf_waits_for_the_others():
    parents = {"a": "x", "b": "x", "x": "y", "y": "*", "c": "*"}
    hierarchy = ka.tree_hierarchy(["a", "b", "c"], parents)
    assert hierarchy.labels == (
        ("a", "b", "c"),
        ("x", "x", "c"),
        ("y", "y", "c"),
        ("*", "*", "*"),
    )


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ka.intervals([1, 2], [2, 1]), "must increase"),
        (lambda: ka.intervals([1, 2], [1], [2]), "must be among the cuts"),
        (lambda: ka.intervals([np.nan], [1]), "at least one value"),
        (lambda: ka.prefixes(["130", "14"]), "one length"),
        (lambda: ka.prefixes(["13*"]), "read as a generalised cell"),
        (lambda: ka.set_hierarchy(["a", "b"], [["a"]]), "must hold every value"),
        (lambda: ka.set_hierarchy(["a", "b"], [["a", "b"], ["b"]]), "must hold 'b' once"),
        (lambda: ka.set_hierarchy(["a", "b"], [["a", "b"]], [["a"], ["b"]]), "must not part"),
        (lambda: ka.tree_hierarchy(["a"], {"a": "x"}), "got stuck"),
        (lambda: ka.tree_hierarchy(["x"], {"a": "x", "x": "*"}), "as a leaf"),
        (lambda: ka.tree_hierarchy(["a"], {"a": "b", "b": "a"}), "as a leaf"),
        (lambda: ka.Hierarchy((1, 1), (("1", "1"),)), "must be distinct"),
        (lambda: ka.Hierarchy((1, 2), (("1",),)), "must be 2, got 1"),
        (lambda: ka.Hierarchy((1, 2), (("*", "*"), ("a", "a"))), "throughout"),
        (lambda: ka.Hierarchy((), ()), "at least one value"),
        (lambda: ka.Hierarchy((np.nan,), (("*",),)), "must not be missing"),
    ],
)
def test_bad_hierarchies_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_prefixes_refuse_numbers():
    with pytest.raises(TypeError, match="must be texts"):
        ka.prefixes([13012])


# Full-domain generalisation


@property_test
@given(rows, st.integers(1, 6))
def test_generalising_never_lowers_k_and_the_minimal_nodes_are_all_of_them(table, k):
    least = {node: k_at(table, node) for node in nodes()}
    for node in nodes():
        for j in range(len(node)):
            higher = node[:j] + (node[j] + 1,) + node[j + 1 :]
            assert least[node] <= least.get(higher, len(table))
    at = {node: least[node] >= k for node in nodes()}
    expected = {
        node
        for node in nodes()
        if at[node]
        and not any(at.get(node[:j] + (node[j] - 1,) + node[j + 1 :], False) for j in range(3))
    }
    found = ka.minimal_generalizations(table, hierarchies(), k, missing="value")
    assert {tuple(row) for row in found.minimal[COLUMNS].to_numpy()} == expected
    assert found.evaluated <= found.nodes == len(nodes())
    assert found.minimal["loss"].is_monotonic_increasing
    assert [*found.minimal.index] == [*range(len(expected))]
    for _, row in found.minimal.iterrows():
        levels = {name: int(row[name]) for name in COLUMNS}
        released = ka.generalize(table, hierarchies(), levels, missing="value")
        assert ka.k_of(released, COLUMNS, missing="value") == row["k"] >= k
        assert len(ka.classes(released, COLUMNS, missing="value")) == row["classes"]
    if len(table) < k:
        assert found.minimal.empty


def test_loss_of_a_node_is_the_information_loss_of_its_table():
    values = list(product(["130", "131", "145", "148"], [21, 28, 35, 42, 58], ["baker", "nurse"]))
    table = pd.DataFrame(values + [("130", 21, "doctor")] * 3, columns=COLUMNS)
    found = ka.minimal_generalizations(table, hierarchies(), 4)
    names = hierarchies()["job"].names
    for _, row in found.minimal.iterrows():
        levels = {name: int(row[name]) for name in COLUMNS}
        released = ka.generalize(table, hierarchies(), levels)
        loss = ka.information_loss(table, released, COLUMNS, names=names)
        assert row["loss"] == pytest.approx(loss, rel=1e-12)


def test_generalize_keeps_rows_index_and_missing_values():
    table = pd.DataFrame({"age": [21, np.nan, 58], "s": [1, 2, 3]}, index=["x", "x", "y"])
    age = {"age": ka.intervals([21, 58], [30])}
    released = ka.generalize(table, age, {"age": 1}, missing="value")
    assert list(released.index) == ["x", "x", "y"] and released["s"].tolist() == [1, 2, 3]
    assert released["age"].isna().tolist() == [False, True, False]
    top = ka.generalize(table, age, {"age": 2}, missing="value")
    assert top["age"].tolist() == ["*"] * 3
    with pytest.raises(ValueError, match="no missing values"):
        ka.generalize(table, age, {"age": 1})
    with pytest.raises(ValueError, match="must hold every value, got none for 40"):
        ka.generalize(pd.DataFrame({"age": [40]}), age, {"age": 1})
    with pytest.raises(ValueError, match="at most 2"):
        ka.generalize(table, age, {"age": 3}, missing="value")
    with pytest.raises(ValueError, match="levels must name"):
        ka.generalize(table, age, {}, missing="value")


def test_loss_counts_missing_values_where_there_are_some():
    table = pd.DataFrame({"age": [21, np.nan, 58]})
    age = {"age": ka.intervals([21, 58], [30])}
    found = ka.minimal_generalizations(table, age, 3, missing="value")
    assert found.minimal[["age", "loss"]].to_numpy().tolist() == [[2, 1]]
    without = ka.minimal_generalizations(table.dropna(), age, 2)
    assert without.minimal["loss"].tolist() == [1]


# Mondrian

mixed = st.lists(
    st.tuples(
        st.sampled_from([0.5, 1.0, 2.0, 7.25, np.nan]),
        st.sampled_from(["u", "v", "w", None]),
        st.integers(0, 9),
    ),
    min_size=1,
    max_size=40,
).map(lambda r: pd.DataFrame(r, columns=["x", "c", "n"]))


@property_test
@given(mixed, st.integers(1, 6))
def test_mondrian_is_k_anonymous_covers_its_rows_and_cannot_be_cut_further(table, k):
    columns = ["x", "c", "n"]
    k = min(k, len(table))
    released = ka.mondrian(table, columns, k, missing="value")
    assert ka.k_of(released, columns, missing="value") >= k
    for name in columns:
        for value, label in zip(table[name], released[name], strict=True):
            assert ka.covers(label, [value])[0]
    if (released[columns] == "*").any(axis=None):
        return  # boxes with missing values may carry one label, and then cannot be told apart
    ranks = table.assign(c=table["c"].map({"u": 1, "v": 2, "w": 3})).fillna(-1)
    ids = released.groupby(columns, observed=True, dropna=False).ngroup()
    for _, part in ranks.groupby(ids):
        for values in (part[name] for name in columns):
            for cut in values.unique():
                above = int((values >= cut).sum())
                assert above < k or len(part) - above < k


def test_mondrian_by_hand():
    table = pd.DataFrame({"x": [1, 2, 3, 10], "y": [0, 0, 0, 0]}, index=list("dcba"))
    released = ka.mondrian(table, ["x", "y"], 2)
    assert released["x"].tolist() == ["[1, 2]", "[1, 2]", "[3, 10]", "[3, 10]"]
    assert released["y"].tolist() == ["0"] * 4 and list(released.index) == list("dcba")
    assert ka.mondrian(table, ["x"], 1)["x"].tolist() == ["1", "2", "3", "10"]
    assert ka.mondrian(table, ["x"], 4)["x"].tolist() == ["[1, 10]"] * 4


def test_mondrian_on_ties_one_row_equal_rows_and_unused_levels():
    tied = pd.DataFrame({"x": [1, 1, 1, 2]})
    assert ka.mondrian(tied, ["x"], 2)["x"].tolist() == ["[1, 2]"] * 4
    assert ka.mondrian(tied, ["x"], 1)["x"].tolist() == ["1", "1", "1", "2"]
    one = pd.DataFrame({"x": [5.5]})
    assert ka.mondrian(one, ["x"], 1)["x"].tolist() == ["5.5"]
    equal = pd.DataFrame({"x": [3] * 8})
    assert ka.mondrian(equal, ["x"], 2)["x"].tolist() == ["3"] * 8
    levels = pd.Categorical(["b", "d", "d", "b"], categories=list("abcde"))
    released = ka.mondrian(pd.DataFrame({"x": levels}), ["x"], 3)
    assert released["x"].tolist() == ["{b, d}"] * 4
    flags = pd.DataFrame({"x": [True, False, True]})
    assert ka.mondrian(flags, ["x"], 2)["x"].tolist() == ["{False, True}"] * 3


def test_mondrian_and_missing_values():
    table = pd.DataFrame({"x": [np.nan, np.nan, 1.0, 2.0, 3.0, 4.0]})
    released = ka.mondrian(table, ["x"], 2, missing="value")
    assert released["x"].tolist() == ["*"] * 3 + ["[2, 4]"] * 3
    more = pd.DataFrame({"x": [np.nan, np.nan, 1.0, 2.0]})
    apart = ka.mondrian(more, ["x"], 2, missing="value")["x"]
    assert apart.isna().tolist() == [True, True, False, False]
    assert apart.tolist()[2:] == ["[1, 2]"] * 2
    assert ka.mondrian(table, ["x"], 6, missing="value")["x"].tolist() == ["*"] * 6
    with pytest.raises(ValueError, match="no missing values"):
        ka.mondrian(table, ["x"], 2)


def test_mondrian_refuses_what_it_cannot_do():
    table = pd.DataFrame({"x": ["a, b", "c"]})
    with pytest.raises(ValueError, match="hold no comma"):
        ka.mondrian(table, ["x"], 1)
    with pytest.raises(ValueError, match="k must be at most 2"):
        ka.mondrian(table, ["x"], 3)


def test_mondrian_depends_on_the_rows_and_not_on_their_order():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.integers(0, 50, (2_000, 4)), columns=list("abcd"))
    released = ka.mondrian(table, list("abcd"), 7)
    shuffled = table.sample(frac=1, random_state=1)
    again = ka.mondrian(shuffled, list("abcd"), 7).loc[table.index]
    assert (released.astype(str) == again.astype(str)).all(axis=None)
    sizes = ka.class_sizes(released, list("abcd"))
    assert sizes.min() >= 7 and sizes.max() < 4 * 7
