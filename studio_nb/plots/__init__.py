"""Figures of what happened, for a notebook's output."""
