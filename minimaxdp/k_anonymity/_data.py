"""The two released tables of the lecture."""

from __future__ import annotations

import pandas as pd

__all__ = ["hospital_a", "hospital_b"]

_CONDITIONS_A = (
    ["AIDS", "Heart Disease", "Viral Infection", "Viral Infection"]
    + ["Cancer", "Heart Disease", "Viral Infection", "Viral Infection"]
    + ["Cancer"] * 4
)
_CONDITIONS_B = (
    ["AIDS", "Tuberculosis", "Flu", "Tuberculosis", "Cancer", "Cancer"]
    + ["Cancer"] * 3
    + ["Tuberculosis", "Viral Infection", "Viral Infection"]
)


def hospital_a() -> pd.DataFrame:
    """Table (a) of the lecture: twelve patients in three classes of four.

    Returns
    -------
    DataFrame
        Columns ``Zip code``, ``Age``, ``Nationality`` (generalised) and ``Condition``; the rows
        are numbered from 1, as printed.

    Notes
    -----
    Smith's slides, k-anonymity (claims ``Smith-kanon-def``, ``Smith-kanon-homogeneity``).

    Examples
    --------
    >>> hospital_a().loc[12].tolist()
    ['130**', '3*', '*', 'Cancer']
    """
    return _table(["<30"] * 4 + ["≥40"] * 4 + ["3*"] * 4, _CONDITIONS_A)


def hospital_b() -> pd.DataFrame:
    """Table (b) of the lecture: twelve patients in two classes of six, from another hospital.

    Returns
    -------
    DataFrame
        As :func:`hospital_a`.

    Notes
    -----
    Smith's slides, composition (claims ``Smith-kanon-compose-Alice``,
    ``Smith-kanon-compose-Adi``).

    Examples
    --------
    >>> hospital_b().loc[1].tolist()
    ['130**', '<35', '*', 'AIDS']
    """
    return _table(["<35"] * 6 + ["≥35"] * 6, _CONDITIONS_B)


def _table(ages: list[str], conditions: list[str]) -> pd.DataFrame:
    columns = {"Zip code": "130**", "Age": ages, "Nationality": "*", "Condition": conditions}
    return pd.DataFrame(columns, index=range(1, 13))
