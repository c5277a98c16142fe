"""Plugins of a person's: from cells and files, replaced while they run, and listed.

`Session` adds, replaces and removes them with `exchange`, each on the thread on
which it runs; `Studio` makes plugins of functions with `forms`, `gui` and
`modelsource`, loads files with `files`, and shows the states with `table`.
"""
