"""Faces of the rules for other libraries; no rule is written here."""
