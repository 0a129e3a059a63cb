"""Tests that need the coursework environment; CONTRIBUTING.md says how to make it."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "book" / "coursework"), str(ROOT / "tests")]
