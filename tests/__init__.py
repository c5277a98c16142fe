"""The tests of studio_nb: `unit` in this process, `browser` in a real JupyterLab."""
