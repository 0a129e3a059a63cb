"""k-anonymity: what is measured, and what the attacks find. The algorithms have a file of their
own, test_k_anonymity_generalize.py."""

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws import assert_mean
from scipy.stats import wasserstein_distance

from minimaxdp import guarantees, randomized_response
from minimaxdp import k_anonymity as ka

property_test = settings(max_examples=40, deadline=None, derandomize=True)

HOSPITAL = ["Zip code", "Age", "Nationality"]
KNOWN = ["Zip code", "Age"]

small_tables = st.lists(
    st.tuples(st.integers(0, 2), st.sampled_from(["x", "y", None]), st.integers(0, 3)),
    min_size=1,
    max_size=30,
).map(lambda rows: pd.DataFrame(rows, columns=["a", "b", "s"]))


def naive_sizes(table, columns):
    """The definition, row by row: how many rows are identical to this one."""
    rows = [tuple("missing" if pd.isna(v) else v for v in r) for r in table[columns].to_numpy()]
    return [rows.count(row) for row in rows]


# Measures


@property_test
@given(small_tables)
def test_a_table_is_k_anonymous_iff_every_class_has_k_rows(table):
    sizes = naive_sizes(table, ["a", "b"])
    k = ka.k_of(table, ["a", "b"], missing="value")
    for wanted in range(1, len(table) + 1):
        every_row = all(size - 1 >= wanted - 1 for size in sizes)
        every_class = bool((ka.classes(table, ["a", "b"], missing="value")["size"] >= wanted).all())
        assert every_row == every_class == (k >= wanted)
    assert ka.class_sizes(table, ["a", "b"], missing="value").tolist() == sizes
    assert ka.uniqueness(table, ["a", "b"], missing="value") == sizes.count(1) / len(table)


@property_test
@given(small_tables)
def test_diversity_and_closeness_follow_their_definitions(table):
    groups = table.groupby(["a", "b"], dropna=False)["s"]
    laws = [part.value_counts(normalize=True).to_numpy() for _, part in groups]
    values = np.unique(table["s"])
    q = [(table["s"] == v).mean() for v in values]
    p = [[(part == v).mean() for v in values] for _, part in groups]
    options = {"missing": "value"}
    columns = (table, ["a", "b"], "s")
    assert ka.diversity(*columns, **options) == min(law.size for law in laws)
    entropy = min(np.exp(-(law * np.log(law)).sum()) for law in laws)
    assert ka.diversity(*columns, kind="entropy", **options) == pytest.approx(entropy, rel=1e-12)
    tv = max(abs(np.subtract(law, q)).sum() / 2 for law in p)
    assert ka.closeness(*columns, **options) == pytest.approx(tv, abs=1e-12)
    ranks = np.arange(values.size) / max(values.size - 1, 1)
    earth = max(wasserstein_distance(ranks, ranks, law, q) for law in p)
    ordered = ka.closeness(*columns, distance="ordered", **options)
    assert ordered == pytest.approx(earth, abs=1e-12)
    by_class = ka.classes(*columns, distance="ordered", **options)
    assert by_class["t"].max() == pytest.approx(ordered, abs=1e-12)
    assert by_class["distinct"].min() == ka.diversity(*columns, **options)


def test_lecture_tables():
    a, b = ka.hospital_a(), ka.hospital_b()
    assert ka.k_of(a, HOSPITAL) == 4 and ka.k_of(b, HOSPITAL) == 6
    assert ka.diversity(a, HOSPITAL, "Condition") == 1
    assert ka.diversity(b, HOSPITAL, "Condition") == 3
    assert a["Condition"].value_counts().to_dict() == {
        "Cancer": 5,
        "Viral Infection": 4,
        "Heart Disease": 2,
        "AIDS": 1,
    }
    assert b["Condition"].value_counts().to_dict() == {
        "Cancer": 5,
        "Tuberculosis": 3,
        "Viral Infection": 2,
        "AIDS": 1,
        "Flu": 1,
    }
    assert list(a.index) == list(b.index) == list(range(1, 13))


def test_missing_values_are_refused_or_a_value_never_dropped():
    table = pd.DataFrame({"a": [1.0, np.nan, np.nan, 1.0, 1.0], "s": ["u", None, "u", "u", "v"]})
    with pytest.raises(ValueError, match=r"column 'a' must have no missing values, got 2"):
        ka.k_of(table, ["a"])
    with pytest.raises(ValueError, match="column 's'"):
        ka.diversity(table.fillna({"a": 0}), ["a"], "s")
    assert ka.class_sizes(table, ["a"], missing="value").tolist() == [3, 2, 2, 3, 3]
    assert ka.diversity(table, ["a"], "s", missing="value") == 2
    frame = ka.classes(table, ["a"], "s", missing="value")
    assert frame["size"].tolist() == [3, 2] and np.isnan(frame["a"][1])
    categorical = table.astype("category")
    assert ka.class_sizes(categorical, ["a"], missing="value").tolist() == [3, 2, 2, 3, 3]
    with pytest.raises(ValueError, match="column 's'"):
        ka.closeness(table, ["a"], "s", distance="ordered", missing="value")
    with pytest.raises(ValueError, match="missing must be"):
        ka.k_of(table, ["a"], missing="drop")


def test_unused_levels_odd_indexes_one_row_and_equal_rows():
    category = pd.Categorical(["u", "v", "v"], categories=["z", "u", "y", "v", "x"], ordered=True)
    table = pd.DataFrame({"a": category, "s": category}, index=["p", "p", "q"])
    assert ka.k_of(table, ["a"]) == 1
    sizes = ka.class_sizes(table, ["a"])
    assert sizes.tolist() == [1, 2, 2] and list(sizes.index) == ["p", "p", "q"]
    assert ka.classes(table, ["a"])["size"].tolist() == [1, 2]
    # Two values occur: the ground distance between them is 1, unused levels or not.
    assert ka.closeness(table, ["a"], "s", distance="ordered") == pytest.approx(2 / 3)
    one = table.iloc[:1]
    assert ka.k_of(one, ["a"]) == 1 and ka.uniqueness(one, ["a"]) == 1
    assert ka.closeness(one, ["a"], "s", distance="ordered") == 0
    equal = pd.DataFrame({"a": [7] * 9, "s": [1] * 9})
    assert ka.k_of(equal, ["a"]) == 9 and ka.uniqueness(equal, ["a"]) == 0
    assert ka.closeness(equal, ["a"], "s") == 0 and ka.diversity(equal, ["a"], "s") == 1


def test_many_columns_do_not_overflow_their_keys():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.integers(0, 2, (200, 12)), columns=list("abcdefghijkl"))
    wide = {name: pd.Categorical(table[name], categories=range(50_000)) for name in table}
    columns = list(table)
    sizes = ka.class_sizes(pd.DataFrame(wide), columns)
    assert sizes.tolist() == naive_sizes(table, columns)


def test_ordered_distance_in_pieces(monkeypatch):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.integers(0, 40, 300), "s": rng.integers(0, 9, 300)})
    whole = ka.classes(table, ["a"], "s", distance="ordered")
    monkeypatch.setattr("minimaxdp.k_anonymity._measures._CELLS", 63)
    pd.testing.assert_frame_equal(whole, ka.classes(table, ["a"], "s", distance="ordered"))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (([[1]], ["a"]), TypeError, "table must be a pandas DataFrame"),
        ((pd.DataFrame({"a": []}), ["a"]), ValueError, "at least one row"),
        ((pd.DataFrame({"a": [1]}), "a"), TypeError, "list of column names"),
        ((pd.DataFrame({"a": [1]}), []), ValueError, "at least one column"),
        ((pd.DataFrame({"a": [1]}), ["a", "a"]), ValueError, "each column once"),
        ((pd.DataFrame({"a": [1]}), ["b"]), ValueError, r"'b' \(0 found\)"),
        ((pd.DataFrame([[1, 2]], columns=["a", "a"]), ["a"]), ValueError, r"'a' \(2 found\)"),
    ],
)
def test_bad_tables_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        ka.k_of(*arguments)


def test_bad_options_are_refused():
    table = pd.DataFrame({"a": [1, 2], "s": pd.Categorical(["u", "v"])})
    with pytest.raises(ValueError, match="kind must be"):
        ka.diversity(table, ["a"], "s", kind="recursive")
    with pytest.raises(ValueError, match="distance must be"):
        ka.closeness(table, ["a"], "s", distance="far")
    with pytest.raises(ValueError, match="needs an ordered"):
        ka.closeness(table, ["a"], "s", distance="ordered")
    with pytest.raises(ValueError, match="must cover some original value"):
        ka.information_loss(table, table.assign(a="[7, 9]"), ["a"])


def test_information_loss_from_nothing_to_everything():
    table = pd.DataFrame({"a": [1, 2, 3, 3], "b": list("uvuw")})
    assert ka.information_loss(table, table, ["a", "b"]) == 0
    assert ka.information_loss(table, table.assign(a="*", b="*"), ["a", "b"]) == 1
    half = table.assign(a=["[1, 2]", "[1, 2]", "3", "3"])
    assert ka.information_loss(table, half, ["a", "b"]) == pytest.approx(1 / 8)


# Notation


@pytest.mark.parametrize(
    ("label", "stands_for"),
    [
        ("*", [28, 30, 40, "13012", "a", None]),
        ("<30", [28]),
        ("≥40", [40, "13012"]),
        ("> 30", [40, "13012"]),
        ("3*", [30]),
        ("[28, 30]", [28, 30]),
        ("[28, 30)", [28]),
        ("(28, inf)", [30, 40, "13012"]),
        ("{a, 40}", [40, "a"]),
        ("130**", ["13012"]),
        ("node", [28, "a"]),
        (30, [30]),
        ("30", [30]),
        (np.nan, [None]),
    ],
)
def test_covered(label, stands_for):
    values = [28, 30, 40, "13012", "a", None]
    found = ka.covers(label, values, names={"node": [28, "a"]})
    assert [v for v, inside in zip(values, found, strict=True) if inside] == stands_for


# Attacks


def naive_candidates(release, person, columns, sensitive):
    rows = [
        all(ka.covers(release[c].iloc[i], [person[c]])[0] for c in columns)
        for i in range(len(release))
    ]
    held = release[sensitive][rows]
    return sum(rows), {"missing" if pd.isna(v) else v for v in held}


def as_set(candidates):
    return {"missing" if pd.isna(v) else v for v in candidates}


def test_the_lecture_on_alice_and_adi():
    people = pd.DataFrame({"Zip code": ["13012", "13012"], "Age": [28, 58]}, index=["Alice", "Adi"])
    both = [ka.hospital_a(), ka.hospital_b()]
    found = ka.intersection_attack(both, people, KNOWN, "Condition")
    assert found.loc["Alice", "candidates"] == ("AIDS",)
    assert found.loc["Alice", "learned"] == "AIDS"
    assert found.loc["Adi", "candidates"] == ("Cancer", "Viral Infection")
    assert found.loc["Adi", "learned"] is None and not found.loc["Adi", "exposed"]
    assert found["rows"].tolist() == [1, 3]


def test_the_lecture_on_homogeneity_and_exclusion():
    exposed = ka.homogeneity(ka.hospital_a(), HOSPITAL, "Condition")
    assert exposed.index.tolist() == [9, 10, 11, 12]
    assert set(exposed["learned"]) == {"Cancer"} and set(exposed["class"]) == {4}
    assert ka.homogeneity(ka.hospital_b(), HOSPITAL, "Condition").empty
    people = pd.DataFrame({"Zip code": ["13012"], "Age": [28]}, index=["Alice"])
    found = ka.linkage(ka.hospital_a(), people, KNOWN, "Condition")
    assert "Broken Leg" not in found.loc["Alice", "candidates"]


@property_test
@given(small_tables, small_tables, st.integers(0, 3))
def test_attacks_on_people_against_their_definitions(table, other, excluded):
    columns = ["a", "b"]
    other["s"] = other["s"] + 1
    release = table.assign(a=np.where(table["a"] > 0, "[1, 2]", "0"))
    people = pd.concat([table, other])[columns]
    people.index = [f"p{i}" for i in range(len(people))]
    linked = ka.linkage(release, people, columns, "s")
    met = ka.intersection_attack([release, other], people, columns, "s")
    known = {"p0": [excluded]}
    struck = ka.background_knowledge(release, people, columns, "s", known)
    for name, person in people.iterrows():
        rows, values = naive_candidates(release, person, columns, "s")
        _, others = naive_candidates(other, person, columns, "s")
        assert linked.loc[name, "rows"] == rows
        assert as_set(linked.loc[name, "candidates"]) == values
        assert as_set(met.loc[name, "candidates"]) == values & others
        assert linked.loc[name, "exposed"] == (len(values) == 1)
        left = values - ({excluded} if name == "p0" else set())
        assert as_set(struck.loc[name, "candidates"]) == left


@property_test
@given(st.lists(small_tables, min_size=2, max_size=4))
def test_a_further_release_never_enlarges_a_candidate_set(tables):
    people = tables[0][["a", "b"]]
    before = None
    for count in range(1, len(tables) + 1):
        found = ka.intersection_attack(tables[:count], people, ["a", "b"], "s")
        sets = [set(values) for values in found["candidates"]]
        if before is not None:
            assert all(now <= then for now, then in zip(sets, before, strict=True))
        before = sets


@property_test
@given(small_tables)
def test_homogeneity_is_what_linkage_finds_of_the_own_rows(table):
    exposed = ka.homogeneity(table, ["a", "b"], "s", missing="value")
    linked = ka.linkage(table, table, ["a", "b"], "s")
    assert exposed.index.tolist() == linked.index[linked["exposed"]].tolist()
    assert exposed["learned"].tolist() == table.loc[exposed.index, "s"].tolist()
    sizes = ka.class_sizes(table, ["a", "b"], missing="value")
    assert exposed["class"].tolist() == sizes[exposed.index].tolist()


def test_missing_values_in_attacks():
    release = pd.DataFrame({"a": ["1", np.nan, "*"], "s": ["u", None, "v"]})
    people = pd.DataFrame({"a": [1.0, np.nan, 2.0]}, index=["x", "y", "z"])
    found = ka.linkage(release, people, ["a"], "s")
    assert found["rows"].tolist() == [2, 2, 1]
    assert found.loc["z", "learned"] == "v"
    assert as_set(found.loc["y", "candidates"]) == {"missing", "v"}
    both = ka.intersection_attack([release, release.iloc[[1, 1]]], people.iloc[[1]], ["a"], "s")
    assert both.loc["y", "exposed"] and as_set(both.loc["y", "candidates"]) == {"missing"}
    absent = ka.linkage(release.iloc[:1], people, ["a"], "s").loc["z"]
    assert absent["rows"] == 0 and absent["candidates"] == () and not absent["exposed"]


def test_attacks_refuse_what_makes_no_sense():
    table = pd.DataFrame({"a": [1], "s": ["u"]})
    with pytest.raises(ValueError, match="releases must hold"):
        ka.intersection_attack([], table, ["a"], "s")
    with pytest.raises(ValueError, match="excluded must name"):
        ka.background_knowledge(table, table, ["a"], "s", {"Nobody": ["u"]})
    with pytest.raises(ValueError, match="worlds must hold"):
        ka.minimality_attack([], ka.smallest_interval, "1", {})
    with pytest.raises(ValueError, match="output must come from some world"):
        ka.minimality_attack([[1, 2]], ka.smallest_interval, "[3, 4]", {})
    with pytest.raises(ValueError, match="values must have one length"):
        ka.common_prefix([9, 10])
    with pytest.raises(ValueError, match="release must have 1 rows"):
        ka.sole_ends(table, pd.concat([table, table]), ["a"])


def test_both_readings_of_minimality():
    worlds = list(product(range(30, 40), repeat=4))
    facts = {
        "30 and 39": lambda world: {30, 39} <= set(world),
        "two ages": lambda world: len(set(world)) > 1,
        "thirties": lambda world: min(world) >= 30,
    }
    tight = ka.minimality_attack(worlds, ka.smallest_interval, "[30, 39]", facts)
    loose = ka.minimality_attack(worlds, ka.common_prefix, "3*", facts)
    assert tight.loc["30 and 39", "learned"] and not loose.loc["30 and 39", "learned"]
    assert loose.loc["two ages", "learned"]
    assert loose.loc["thirties", "after"] == 1 and not loose.loc["thirties", "learned"]
    assert tight["worlds"].iloc[0] == 10**4 - 2 * 9**4 + 8**4
    assert loose["worlds"].iloc[0] == 10**4 - 10
    assert loose.loc["30 and 39", "after"] == pytest.approx(974 / 9990)
    assert ka.smallest_interval([30.5, 30.5]) == "30.5" and ka.common_prefix([31, 31]) == "31"


def test_sole_ends_are_the_values_that_the_others_do_not_reach():
    rng = np.random.default_rng(3)
    table = pd.DataFrame({"a": rng.integers(0, 30, 80), "b": rng.integers(0, 4, 80)})
    table.index = table.index + 100
    release = ka.mondrian(table, ["a", "b"], 4)
    found = ka.sole_ends(table, release, ["a", "b"])
    expected = set()
    for column, _ in product(["a", "b"], [0]):
        for _, part in table.groupby([release["a"], release["b"]], observed=True)[column]:
            for end in (part.min(), part.max()):
                if part.nunique() > 1 and (part == end).sum() == 1:
                    expected.add((part.index[part == end][0], column, float(end)))
    assert set(zip(found.index, found["column"], found["learned"], strict=True)) == expected
    assert ka.sole_ends(table, table.assign(a="*", b="*"), ["a", "b"]).empty


# What differential privacy promises


@property_test
@given(st.floats(0.01, 0.99), st.floats(0.01, 8))
def test_randomized_response_attains_the_posterior_bounds(prior, epsilon):
    channel = randomized_response.BinaryRR(epsilon).channel()
    joint = np.array([1 - prior, prior])[:, None] * channel
    posterior = joint[1] / joint.sum(axis=0)
    low, high = guarantees.posterior_range(prior, epsilon)
    np.testing.assert_allclose([low, high], posterior, rtol=1e-9)


@property_test
@given(
    st.lists(st.floats(-30, 30), min_size=3, max_size=3),
    st.lists(st.integers(0, 9), min_size=3, max_size=3),
    st.floats(0.05, 6),
)
def test_laplace_posterior_is_bayes_and_stays_within_the_bound(noisy, others, epsilon):
    prior, b = np.array([0.2, 0.3, 0.5]), 2 / epsilon
    weights = [
        prior[s] * np.exp(-sum(abs(noisy[r] - others[r] - (r == s)) for r in range(3)) / b)
        for s in range(3)
    ]
    posterior = ka.laplace_posterior(noisy, others, prior, b)
    if sum(weights) > 1e-250:
        np.testing.assert_allclose(posterior, weights / np.sum(weights), rtol=1e-9)
    low, high = guarantees.posterior_range(prior, epsilon)
    assert np.all(posterior >= low * (1 - 1e-9)) and np.all(posterior <= high * (1 + 1e-9))


def test_laplace_posterior_is_calibrated():
    rng = np.random.default_rng(5)
    prior, n = np.array([0.6, 0.3, 0.1]), 40_000
    truth = rng.choice(3, size=n, p=prior)
    counts = np.array([3, 0, 2]) + np.eye(3)[truth]
    belief = ka.laplace_posterior(counts + rng.laplace(scale=2, size=(n, 3)), [3, 0, 2], prior, 2)
    assert_mean(np.eye(3)[truth] - belief, np.zeros(3))
    certain = ka.laplace_posterior([0.0, 1.0], [0, 0], [1.0, 0.0], 1.0)
    assert certain.tolist() == [1, 0]


@pytest.mark.parametrize("scale", [1e-320, 1e-17, 1e-3, 1.0])
def test_posterior_after_little_noise_keeps_the_prior_among_ties(scale):
    # The first two values lose alike, the third loses more, the fourth was ruled out before.
    noisy, others = [1.0, 1.0, 0.0, 9.0], [0, 0, 0, 0]
    found = ka.laplace_posterior(noisy, others, [0.45, 0.15, 0.4, 0.0], scale)
    weights = np.array([0.45, 0.15, 0.4 * np.exp(-2 / max(scale, 1e-3)), 0])
    assert found == pytest.approx(weights / weights.sum(), rel=1e-14)


def test_posterior_of_a_value_that_is_ruled_out_but_fits_best():
    found = ka.laplace_posterior([0.0, 0.0, 9.0], [0, 0, 0], [0.25, 0.75, 0.0], 1e-320)
    assert found == pytest.approx([0.25, 0.75, 0.0], rel=1e-14, abs=0)


def test_posterior_after_an_enormous_count():
    # |y - o - 1| - |y - o| is -1 from o + 1 on, however large y is.
    found = ka.laplace_posterior([1e17, -1e17], [0, 0], [0.5, 0.5], 1.0)
    assert found == pytest.approx(1 / (1 + np.exp([-2, 2])), rel=1e-14)
    beyond = ka.laplace_posterior([1e308, -1e308], [1e308, 1e308], [0.5, 0.5], 1.0)
    assert beyond.tolist() == [0.5, 0.5]  # both counts lie below what the others make


TABLE = pd.DataFrame({"a": [1, 2], "s": ["u", "v"]})


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: ka.k_of(TABLE, ["a"], missing=["value"]), TypeError, "missing must be one"),
        (lambda: ka.k_of(TABLE, [["a"]]), TypeError, "quasi_identifiers must be a list of"),
        (lambda: ka.diversity(TABLE, ["a"], "s", kind=pd.NA), TypeError, "kind must be one of"),
        (
            lambda: ka.closeness(TABLE, ["a"], "s", distance=np.array(["ordered"])),
            TypeError,
            "distance must be one of",
        ),
        (lambda: ka.covers([1, 2], [1]), TypeError, "label must be a single cell"),
        (lambda: ka.covers("a", ["a"], names="a"), TypeError, "names must be a mapping"),
        (lambda: ka.linkage("x", TABLE, ["a"], "s"), TypeError, "release must be a pandas"),
        (lambda: ka.linkage(TABLE, "x", ["a"], "s"), TypeError, "people must be a pandas"),
        (lambda: ka.linkage(TABLE, TABLE[:0], ["a"], "s"), ValueError, "people must have at least"),
        (lambda: ka.homogeneity(None, ["a"], "s"), TypeError, "release must be a pandas"),
        (lambda: ka.sole_ends(TABLE, None, ["a"]), TypeError, "release must be a pandas"),
        (lambda: ka.information_loss(None, TABLE, ["a"]), TypeError, "original must be a pandas"),
        (lambda: ka.information_loss(TABLE, None, ["a"]), TypeError, "released must be a pandas"),
        (
            lambda: ka.intersection_attack(TABLE, TABLE, ["a"], "s"),
            TypeError,
            "releases must be a list",
        ),
        (
            lambda: ka.background_knowledge(TABLE, TABLE, ["a"], "s", ["u"]),
            TypeError,
            "excluded must be a mapping",
        ),
        (
            lambda: ka.minimality_attack([1], 3, 1, {}),
            TypeError,
            "algorithm must be callable, got 3",
        ),
        (
            lambda: ka.minimality_attack([1], abs, 1, {"x": 3}),
            TypeError,
            r"facts\['x'\] must be callable",
        ),
        (lambda: ka.minimality_attack([1], abs, 1, [abs]), TypeError, "facts must be a mapping"),
        (lambda: ka.diversity(TABLE, ["a"], ("s",)), TypeError, "sensitive must be the name of a"),
        (lambda: ka.k_of(TABLE, [("a",)]), TypeError, "quasi_identifiers must be a list of"),
        (
            lambda: ka.intersection_attack([TABLE, "x"], TABLE, ["a"], "s"),
            TypeError,
            r"releases\[1\] must be a pandas DataFrame",
        ),
        (
            lambda: ka.background_knowledge(TABLE, TABLE, ["a"], "s", {0: "Cancer"}),
            TypeError,
            r"excluded\[0\] must be a list of values, got 'Cancer'",
        ),
        (
            lambda: ka.minimality_attack(["x"], abs, 1, {}),
            ValueError,
            r"worlds must be what algorithm accepts, but on 'x' it raised TypeError\(",
        ),
        (
            lambda: ka.minimality_attack([np.ones(2)], abs, np.ones(2), {}),
            TypeError,
            "output must have a plain ==",
        ),
        (
            lambda: ka.set_hierarchy(["a"], [["a"], "b"]),
            TypeError,
            r"each set of partitions\[0\] mu",
        ),
        (lambda: ka.set_hierarchy(["a"], [[["a"]]]), TypeError, r"partitions\[0\] must hold sets"),
        (lambda: ka.prefixes([["a"], ["b"]]), ValueError, "values must be a list of values"),
        (lambda: ka.prefixes([["a"], ["b", "c"]]), TypeError, "values must be single values"),
        (lambda: ka.intervals([1], [[2]]), ValueError, r"cuts\[0\] must be a list of cut points"),
        (lambda: ka.Hierarchy((1,), ()), ValueError, "labels must hold at least one level"),
        (lambda: ka.Hierarchy((1,), ("1",)), TypeError, r"labels\[0\] must be a tuple"),
        (lambda: ka.covers("a", "abc"), TypeError, "values must be a list of values, got 'abc'"),
        (lambda: ka.covers("a", ["a"], names={"a": 3}), TypeError, r"names\['a'\] must be a list"),
        (lambda: ka.smallest_interval(["a"]), TypeError, "values must be real numbers"),
        (lambda: ka.smallest_interval([[1]]), ValueError, "values must be a list of numbers"),
        (lambda: ka.common_prefix(31), TypeError, "values must be a list of values, got 31"),
        (
            lambda: ka.laplace_posterior([1, 2, 3], [1, 2], [0.5, 0.5], 1),
            ValueError,
            "noisy and others and prior and scale must broadcast",
        ),
        (lambda: ka.smallest_interval([]), ValueError, "values must hold at least one number"),
        (lambda: ka.common_prefix([]), ValueError, "values must hold at least one number"),
        (lambda: ka.intervals([1, 2], [2], suppress="no"), TypeError, "suppress must be True or"),
        (lambda: ka.intervals(3, [2]), ValueError, "values must be a list of values"),
        (lambda: ka.tree_hierarchy(["a"], ["a"]), TypeError, "parents must be a mapping"),
        (lambda: ka.Hierarchy([1], ((1,),)), TypeError, "values must be a tuple"),
        (lambda: ka.intervals([1], [2]).codes(5), ValueError, "level must be at most 2, got 5"),
        (lambda: ka.intervals([1], [2]).codes(-1), ValueError, "level must be at least 0, got -1"),
        (lambda: ka.generalize(TABLE, {"a": 3}, {}), TypeError, r"hierarchies\['a'\] must be a Hi"),
        (lambda: ka.generalize(TABLE, ["a"], {}), TypeError, "hierarchies must be a mapping"),
        (
            lambda: ka.generalize(TABLE, {"a": ka.intervals([1, 2])}, {"a": [0]}),
            ValueError,
            r"levels\['a'\] must be a single number",
        ),
    ],
)
def test_arguments_are_checked_by_name(call, kind, message):
    with pytest.raises(kind, match=f"^{message}"):
        call()


def test_a_lattice_that_would_not_fit_memory_is_refused():
    columns = list("abcdefghijkl")
    table = pd.DataFrame([["1234567"] * 12], columns=columns)
    hierarchies = {name: ka.prefixes(table[name]) for name in columns}
    with pytest.raises(ValueError, match="^hierarchies must leave arrays of at most 2 GiB"):
        ka.minimal_generalizations(table, hierarchies, 1)


@pytest.mark.parametrize("dtype", [object, "str", "string", "category"])
@pytest.mark.parametrize("missing", [False, True])
def test_texts_are_counted_alike_in_every_type_of_column(dtype: Any, missing: bool) -> None:
    names = ["b", "a", "b", "ü", "a", "b"]
    texts: list[Any] = [None if missing and name == "ü" else name for name in names]
    table = pd.DataFrame({"name": pd.Series(texts, dtype=dtype), "n": [1, 1, 1, 1, 2, 1]})
    if missing:
        with pytest.raises(ValueError, match="must have no missing values, got 1"):
            ka.k_of(table, ["name"])
    sizes = ka.class_sizes(table, ["name"], missing="value")
    assert sizes.tolist() == [3, 2, 3, 1, 2, 3]
    assert ka.k_of(table, ["name", "n"], missing="value") == 1
    told = ka.classes(table, ["n"], "name", missing="value")
    assert told["distinct"].tolist() == [3, 1]
    if not missing and dtype != "category":  # whose order is that of the categories
        assert ka.closeness(table, ["n"], "name", distance="ordered") > 0
