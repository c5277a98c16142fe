"""Models: where they come from, and how they change while they run."""
