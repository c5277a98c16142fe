"""Tests that run in this process, without a browser or a server."""
