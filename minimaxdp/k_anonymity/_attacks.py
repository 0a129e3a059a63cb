"""Attacks on released tables: who is exposed, and what is learned about them.

An attacker knows the quasi-identifiers of some people (`people`, one row each, named by its
index) and reads the released cells as sets of possible values. All attacks on people return one
row for each person, with the columns

- ``rows``: how many released rows may be theirs,
- ``candidates``: the sensitive values that they may have, sorted,
- ``exposed``: whether a single candidate is left,
- ``learned``: that candidate, or None.

They suppose that each person has a row in each release. Where nothing fits, ``rows`` is 0 and
``candidates`` is empty: the supposition is false.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from minimaxdp import _validate
from minimaxdp.k_anonymity import _encode
from minimaxdp.k_anonymity._cells import text
from minimaxdp.k_anonymity._labels import Names, covers

__all__ = [
    "background_knowledge",
    "common_prefix",
    "homogeneity",
    "intersection_attack",
    "smallest_interval",
    "linkage",
    "minimality_attack",
    "sole_ends",
]

# Cells of the (person, class) matrix held at once.
_CELLS = 2**24


def linkage(
    release: pd.DataFrame,
    people: pd.DataFrame,
    quasi_identifiers: Sequence[Hashable],
    sensitive: Hashable,
    *,
    names: Names | None = None,
) -> pd.DataFrame:
    r"""Link an external table of named people to the rows that may be theirs.

    .. math:: C(p) = \{ s_i : x_p \text{ is covered by the cells of row } i \}

    A person with one possible row is re-identified; a person with one candidate value is
    exposed, whatever the number of rows.

    Parameters
    ----------
    release : DataFrame
        The released table, with cells as in :func:`~minimaxdp.k_anonymity.covers`. A table
        that is not generalised is a release too.
    people : DataFrame
        What the attacker knows: quasi-identifiers as original values, people as the index.
    quasi_identifiers : sequence of column names
        In both tables.
    sensitive : column name
        Of the release; a missing value is a candidate like any other.
    names : mapping of str to collection, optional
        What the names of tree nodes stand for.

    Returns
    -------
    DataFrame
        One row for each person: ``rows``, ``candidates``, ``exposed``, ``learned``.

    Raises
    ------
    TypeError, ValueError
        If a table is empty or a column is not in it.

    Notes
    -----
    Sweeney (2002). The distinct people are compared with the distinct classes, column by
    column: O(distinct people x classes) bits, and no loop over records.

    Examples
    --------
    >>> from minimaxdp.k_anonymity import hospital_a
    >>> people = pd.DataFrame({"Zip code": ["13012"], "Age": [36]}, index=["Bo"])
    >>> found = linkage(hospital_a(), people, ["Zip code", "Age"], "Condition")
    >>> found.loc["Bo", ["candidates", "learned"]].tolist()
    [('Cancer',), 'Cancer']
    """
    counts, values = _matches(release, people, quasi_identifiers, sensitive, names)
    return _result(people.index, counts.sum(axis=1), counts > 0, values)


def homogeneity(
    release: pd.DataFrame,
    quasi_identifiers: Sequence[Hashable],
    sensitive: Hashable,
    *,
    missing: _encode.Missing = "refuse",
) -> pd.DataFrame:
    r"""The rows whose class holds a single sensitive value.

    .. math:: \{ i : s_j = s_i \text{ for all } j \in c(i) \}

    Whoever can place a person in such a class learns the value, however large the class is.

    Parameters
    ----------
    release : DataFrame
    quasi_identifiers : sequence of column names
    sensitive : column name
    missing : {"refuse", "value"}
        Whether a missing value raises or is a value of its own.

    Returns
    -------
    DataFrame
        One row for each exposed row of the release, under the same index: its
        quasi-identifiers, the size of its ``class`` and the value ``learned``.

    Raises
    ------
    TypeError, ValueError
        If the table is empty, a column is not in it, or a value is missing and refused.

    Notes
    -----
    Smith's slides, "Everyone in their 30's has cancer" (claim ``Smith-kanon-homogeneity``).

    Examples
    --------
    >>> from minimaxdp.k_anonymity import hospital_a
    >>> exposed = homogeneity(hospital_a(), ["Zip code", "Age", "Nationality"], "Condition")
    >>> exposed.index.tolist(), exposed["learned"].unique().tolist()
    ([9, 10, 11, 12], ['Cancer'])
    """
    keys = _encode.table_keys(release, quasi_identifiers, missing, called="release")
    _encode.checked_column("sensitive", release, sensitive, called="release")
    ids, sizes = _encode.dense(*keys)
    codes, values = _encode.column_codes(release, sensitive, missing)
    least, greatest = np.full(sizes.size, len(values)), np.full(sizes.size, -1)
    np.minimum.at(least, ids, codes)
    np.maximum.at(greatest, ids, codes)
    rows = (least == greatest)[ids]
    exposed = release.loc[rows, list(quasi_identifiers)].copy()
    exposed["class"] = sizes[ids[rows]]
    exposed["learned"] = values.take(codes[rows]).astype(object)
    return exposed


def background_knowledge(
    release: pd.DataFrame,
    people: pd.DataFrame,
    quasi_identifiers: Sequence[Hashable],
    sensitive: Hashable,
    excluded: Mapping[Hashable, Collection[Hashable]],
    *,
    names: Names | None = None,
) -> pd.DataFrame:
    r"""Link people to a release and strike out what is known of them from elsewhere.

    .. math:: C'(p) = C(p) \setminus \text{excluded}(p)

    Parameters
    ----------
    release, people, quasi_identifiers, sensitive, names
        As in :func:`linkage`.
    excluded : mapping
        For people, by their index in `people`, the sensitive values that they cannot have; who
        is not named is known nothing of.

    Returns
    -------
    DataFrame
        As :func:`linkage`; ``rows`` counts the rows that are left.

    Raises
    ------
    TypeError, ValueError
        As :func:`linkage`, or if `excluded` names someone who is not in `people`.

    Notes
    -----
    Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam (2007).

    Examples
    --------
    >>> from minimaxdp.k_anonymity import hospital_a
    >>> people = pd.DataFrame({"Zip code": ["13012"], "Age": [51]}, index=["Cleo"])
    >>> known = {"Cleo": ["Cancer", "Heart Disease"]}
    >>> background_knowledge(
    ...     hospital_a(), people, ["Zip code", "Age"], "Condition", known
    ... ).loc["Cleo", "learned"]
    'Viral Infection'
    """
    excluded = _validate.mapping("excluded", excluded)
    counts, values = _matches(release, people, quasi_identifiers, sensitive, names)
    for person, impossible in excluded.items():
        if person not in people.index:
            raise ValueError(f"excluded must name people of the table, got {person!r}")
        known = _validate.items(f"excluded[{person!r}]", impossible)
        struck = np.isin(np.array(values, dtype=object), np.array(known, dtype=object))
        counts[np.ix_(people.index == person, struck)] = 0
    return _result(people.index, counts.sum(axis=1), counts > 0, values)


def intersection_attack(
    releases: Sequence[pd.DataFrame],
    people: pd.DataFrame,
    quasi_identifiers: Sequence[Hashable],
    sensitive: Hashable,
    *,
    names: Names | None = None,
) -> pd.DataFrame:
    r"""Link people to several releases, each of which has their row.

    .. math:: C(p) = \bigcap_t C_t(p)

    A further release never enlarges the set. A person's sensitive value is supposed to be the
    same in all releases.

    Parameters
    ----------
    releases : sequence of DataFrame
        At least one.
    people, quasi_identifiers, sensitive, names
        As in :func:`linkage`.

    Returns
    -------
    DataFrame
        As :func:`linkage`; ``rows`` is the smallest number over the releases of rows with a
        candidate value.

    Raises
    ------
    TypeError, ValueError
        As :func:`linkage`, or if there is no release.

    Notes
    -----
    Smith's slides, composition (claims ``Smith-kanon-compose-Alice``,
    ``Smith-kanon-compose-Adi``).

    Examples
    --------
    >>> from minimaxdp.k_anonymity import hospital_a, hospital_b
    >>> people = pd.DataFrame({"Zip code": ["13012"], "Age": [28]}, index=["Alice"])
    >>> both = [hospital_a(), hospital_b()]
    >>> found = intersection_attack(both, people, ["Zip code", "Age"], "Condition")
    >>> found.loc["Alice", ["candidates", "learned"]].tolist()
    [('AIDS',), 'AIDS']
    """
    if not isinstance(releases, Sequence):
        raise TypeError(f"releases must be a list of tables, got a {type(releases).__name__}")
    if not releases:
        raise ValueError("releases must hold at least one table, got none")
    found = [
        _matches(release, people, quasi_identifiers, sensitive, names, called=f"releases[{i}]")
        for i, release in enumerate(releases)
    ]
    values = found[0][1]
    for _, others in found[1:]:
        values = values.append(others[[not _holds(values, value) for value in others]])
    aligned = [counts[:, _places(own, values)] * _here(own, values) for counts, own in found]
    possible = np.all([counts > 0 for counts in aligned], axis=0)
    rows = np.min([(counts * possible).sum(axis=1) for counts in aligned], axis=0)
    return _result(people.index, rows, possible, values)


def minimality_attack(
    worlds: Iterable[Any],
    algorithm: Callable[[Any], Any],
    output: Any,
    facts: Mapping[str, Callable[[Any], bool]],
) -> pd.DataFrame:
    r"""What an output tells whoever knows the algorithm that made it.

    .. math:: \{ w : A(w) = \text{output} \}

    is what is left of the worlds that the attacker thinks equally likely. A definition that
    looks at the output alone cannot bound it.

    Parameters
    ----------
    worlds : iterable
        The originals that are possible before the release.
    algorithm : callable
        From a world to its release.
    output : object
        The release that was seen; compared by ``==``.
    facts : mapping of str to callable
        Statements about a world, true or false.

    Returns
    -------
    DataFrame
        One row for each fact: the share of worlds where it holds ``before`` and ``after`` the
        release, whether it is ``learned`` (certain after and not before), and the number of
        ``worlds`` left.

    Raises
    ------
    TypeError, ValueError
        If there is no world, the algorithm fails on one, none makes the output, the output has
        no plain ``==``, or the algorithm or a fact is no function.

    Notes
    -----
    Smith's slides, form and content (claim ``Smith-kanon-minimal``).

    Examples
    --------
    >>> from itertools import product
    >>> ages = list(product(range(30, 40), repeat=4))
    >>> facts = {"someone is 30": lambda world: 30 in world}
    >>> bool(minimality_attack(ages, smallest_interval, "[30, 39]", facts)["learned"].iloc[0])
    True
    >>> def leading_digit(world):
    ...     return f"{world[0] // 10}*"
    >>> bool(minimality_attack(ages, leading_digit, "3*", facts)["learned"].iloc[0])
    False
    """
    algorithm = _validate.function("algorithm", algorithm)
    for fact, holds in _validate.mapping("facts", facts).items():
        _validate.function(f"facts[{fact!r}]", holds)
    before = _validate.items("worlds", worlds)
    if not before:
        raise ValueError("worlds must hold at least one world, got none")
    after = [world for world in before if _makes(algorithm, world, output)]
    if not after:
        raise ValueError(
            f"output must come from some world among worlds by algorithm, got {output!r} from none"
        )
    rows = {}
    for fact, holds in facts.items():
        prior = float(np.mean([holds(world) for world in before]))
        posterior = float(np.mean([holds(world) for world in after]))
        rows[fact] = (prior, posterior, posterior == 1 > prior, len(after))
    return pd.DataFrame.from_dict(rows, "index", columns=["before", "after", "learned", "worlds"])


def smallest_interval(values: Collection[float]) -> str:
    """The smallest interval that holds all values: minimal generalisation by intervals.

    Parameters
    ----------
    values : collection of numbers, at least one

    Returns
    -------
    str
        ``[low, high]``, or the value where there is but one.

    Raises
    ------
    TypeError, ValueError
        If there is no value, or one is no finite number.

    Examples
    --------
    >>> smallest_interval([31, 37, 36, 35])
    '[31, 37]'
    """
    listed = _validate.items("values", values)
    if not listed:
        raise ValueError("values must hold at least one number, got none")
    if np.ndim(_validate.real("values", listed)) != 1:
        raise ValueError("values must be a list of numbers, got a table of them")
    low, high = min(listed), max(listed)
    return text(low) if low == high else f"[{text(low)}, {text(high)}]"


def common_prefix(values: Collection[int]) -> str:
    """The longest common prefix of all values, starred: minimal suppression of digits.

    Parameters
    ----------
    values : collection of integers of one length, at least one

    Returns
    -------
    str
        As ``3*``, or the value where there is but one.

    Raises
    ------
    TypeError, ValueError
        If the values are no collection, have different lengths, or there is none.

    Examples
    --------
    >>> common_prefix([31, 37, 36, 35])
    '3*'
    """
    texts = [text(value) for value in _validate.items("values", values)]
    if not texts:
        raise ValueError("values must hold at least one number, got none")
    if len({len(written) for written in texts}) != 1:
        raise ValueError(f"values must have one length, got {sorted(set(texts), key=len)}")
    common = next(
        (i for i, column in enumerate(zip(*texts, strict=True)) if len(set(column)) > 1),
        len(texts[0]),
    )
    return texts[0][:common] + "*" * (len(texts[0]) - common)


def sole_ends(
    original: pd.DataFrame, release: pd.DataFrame, quasi_identifiers: Sequence[Hashable]
) -> pd.DataFrame:
    """The cells that minimal intervals betray to whoever knows the rest of the class.

    If intervals are known to be as tight as possible, some row of the class holds each end. The
    row that alone holds an end is exposed: an attacker who knows the others' values, and sees
    that none of them reaches the end, learns the value of the last one exactly.

    Parameters
    ----------
    original, release : DataFrame
        The table before and after, row by row; cells ``[low, high]`` of the release are judged.
    quasi_identifiers : sequence of column names

    Returns
    -------
    DataFrame
        One row for each exposed cell, under the row's index: ``column``, the released
        ``interval`` and the value ``learned``.

    Raises
    ------
    TypeError, ValueError
        If a table is empty, a column is not in it, or the tables differ in their rows.

    Examples
    --------
    >>> from minimaxdp.k_anonymity import mondrian
    >>> original = pd.DataFrame({"age": [31, 37, 36, 31]}, index=["Ann", "Bea", "Cy", "Di"])
    >>> sole_ends(original, mondrian(original, ["age"], 3), ["age"])["learned"].to_dict()
    {'Bea': 37.0}
    """
    columns = _encode.checked_columns(
        "quasi_identifiers", original, quasi_identifiers, called="original"
    )
    _encode.checked_columns("quasi_identifiers", release, columns, called="release")
    if len(original) != len(release):
        raise ValueError(f"release must have {len(original)} rows, got {len(release)}")
    ids, _ = _encode.dense(*_encode.table_keys(release, columns, "value"))
    found = []
    for name in columns:
        codes, labels = _encode.column_codes(release, name, "value")
        ends = pd.Series(labels.astype(str)).str.extract(r"^\[([^,]+), ([^\]]+)\]$").astype(float)
        if ends[0].isna().all():
            continue
        values = pd.to_numeric(original[name], errors="coerce").to_numpy(dtype=float)
        for end in (0, 1):
            holds = values == ends[end].to_numpy()[codes]
            alone = holds & (np.bincount(ids, weights=holds)[ids] == 1)
            found.append(
                pd.DataFrame(
                    {
                        "column": name,
                        "interval": labels[codes[alone]].astype(str),
                        "learned": values[alone],
                    },
                    index=original.index[alone],
                )
            )
    if not found:
        return pd.DataFrame(columns=["column", "interval", "learned"], index=original.index[:0])
    return pd.concat(found)


def _matches(
    release: pd.DataFrame,
    people: pd.DataFrame,
    quasi_identifiers: Sequence[Hashable],
    sensitive: Hashable,
    names: Names | None,
    *,
    called: str = "release",
) -> tuple[NDArray[np.int64], pd.Index]:
    """For each person and sensitive value, how many released rows with it may be theirs."""
    columns = _encode.checked_columns(
        "quasi_identifiers", release, quasi_identifiers, called=called
    )
    _encode.checked_columns("quasi_identifiers", people, columns, called="people")
    _encode.checked_column("sensitive", release, sensitive, called=called)
    row_class, sizes = _encode.dense(*_encode.table_keys(release, columns, "value"))
    person_kind, kinds = _encode.dense(*_encode.table_keys(people, columns, "value"))
    first_of_class = _encode.first_rows(row_class, sizes.size)
    first_of_kind = _encode.first_rows(person_kind, kinds.size)
    codes, values = _sensitive_values(release, sensitive)
    _validate.memory(called, sizes.size, len(values))
    _validate.memory("people", len(people), len(values))
    held = np.zeros((sizes.size, len(values)))
    np.add.at(held, (row_class, codes), 1)
    sides = []
    for name in columns:
        label_codes, labels = _encode.column_codes(release, name, "value")
        value_codes, originals = _encode.column_codes(people, name, "value")
        used = np.unique(label_codes)
        _validate.memory("people", len(originals), len(labels), itemsize=1)
        table = np.zeros((len(originals), len(labels)), dtype=bool)
        for code in used:
            table[:, code] = covers(labels[code], list(originals), names=names)
        sides.append((table, value_codes[first_of_kind], label_codes[first_of_class]))
    counts = np.empty((kinds.size, len(values)))
    step = max(_CELLS // sizes.size, 1)
    for start in range(0, kinds.size, step):
        fits = np.ones((min(step, kinds.size - start), sizes.size), dtype=bool)
        for table, persons, labels in sides:
            fits &= table[persons[start : start + step]][:, labels]
        counts[start : start + step] = fits @ held
    return counts[person_kind].astype(np.int64), values


def _makes(algorithm: Callable[[Any], Any], world: Any, output: Any) -> bool:
    """Whether the algorithm turns a world into the output."""
    try:
        release = algorithm(world)
    except (TypeError, ValueError, LookupError, AttributeError) as error:
        raise ValueError(
            f"worlds must be what algorithm accepts, but on {world!r} it raised {error!r}"
        ) from error
    same = release == output
    if not isinstance(same, bool | np.bool_):
        raise TypeError(f"output must have a plain == with a release, got {output!r}")
    return bool(same)


def _sensitive_values(release: pd.DataFrame, sensitive: Hashable) -> tuple[_encode.Codes, pd.Index]:
    """Codes of the sensitive values that occur, in sorted order where there is one."""
    codes, values = _encode.column_codes(release, sensitive, "value", sort=True)
    present = np.bincount(codes, minlength=len(values)) > 0
    return (np.cumsum(present) - 1)[codes], pd.Index(values[present], dtype=object)


def _result(
    people: pd.Index, rows: NDArray[np.int64], possible: NDArray[np.bool_], values: pd.Index
) -> pd.DataFrame:
    """One row for each person; the sets are built once for each pattern."""
    patterns, inverse = np.unique(possible, axis=0, return_inverse=True)
    candidates = np.empty(len(patterns), dtype=object)
    learned = np.empty(len(patterns), dtype=object)
    for i, pattern in enumerate(patterns):
        candidates[i] = tuple(values[pattern])
        learned[i] = candidates[i][0] if len(candidates[i]) == 1 else None
    inverse = inverse.reshape(-1)
    columns = {
        "rows": rows.astype(int),
        "candidates": candidates[inverse],
        "exposed": possible.sum(axis=1) == 1,
        "learned": pd.Series(learned[inverse], index=people, dtype=object),
    }
    return pd.DataFrame(columns, index=people)


def _holds(values: pd.Index, value: Hashable) -> bool:
    return bool(values.isna().any()) if pd.isna(value) else value in values


def _here(own: pd.Index, values: pd.Index) -> NDArray[np.bool_]:
    return np.array([_holds(own, value) for value in values])


def _places(own: pd.Index, values: pd.Index) -> NDArray[np.intp]:
    return np.maximum(own.get_indexer(values), 0)
