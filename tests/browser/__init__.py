"""Tests that drive a real JupyterLab, with a real kernel, in a real Chromium."""
