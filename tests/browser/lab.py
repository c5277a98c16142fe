"""A JupyterLab server of its own for the browser tests.

It lives in a temporary folder with every Jupyter and IPython folder inside, so that it
neither reads nor writes what the person at the machine has. The session fixture `lab`
starts it and ends it.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from typing import TYPE_CHECKING

import nbformat

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from pathlib import Path

START_TIMEOUT_S = 90  # a cold start on two busy cores takes 20 s
STOP_TIMEOUT_S = 20  # the server first ends its kernels


class Lab:
    """A running JupyterLab server: where it is, and notebooks to open in it."""

    def __init__(self, folder: Path) -> None:
        """Starts the server in `folder` and waits until it answers.

        Raises:
            RuntimeError: It ended, or did not answer in time; holds its log's end.
        """
        self.token = secrets.token_hex(16)
        self.root = folder / "root"
        self.log = folder / "server.log"
        self._folder = folder
        self._write_settings()
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        self._process = self._start(port)
        try:
            self._wait()
        except BaseException:
            self.close()
            raise

    def _write_settings(self) -> None:
        self.root.mkdir(parents=True)
        # The offer of news would lie over the corner of a notebook.
        plugin = self._folder / "settings" / "@jupyterlab" / "apputils-extension"
        plugin.mkdir(parents=True)
        settings = {"fetchNews": "false", "checkForUpdates": False}
        file = plugin / "notification.jupyterlab-settings"
        file.write_text(json.dumps(settings))

    def _start(self, port: int) -> subprocess.Popen[bytes]:
        folders = {
            "JUPYTER_CONFIG_DIR": "config",
            "JUPYTER_DATA_DIR": "data",
            "JUPYTER_RUNTIME_DIR": "runtime",
            "IPYTHONDIR": "ipython",
            "JUPYTERLAB_SETTINGS_DIR": "settings",
            "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        }
        env = {key: str(self._folder / name) for key, name in folders.items()}
        command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
        options = {
            "ServerApp.ip": "127.0.0.1",
            "ServerApp.port": port,
            "ServerApp.port_retries": 0,
            "ServerApp.root_dir": self.root,
            "IdentityProvider.token": self.token,
            "LabApp.expose_app_in_browser": True,
        }
        command += [f"--{key}={value}" for key, value in options.items()]
        with self.log.open("wb") as log:
            return subprocess.Popen(
                command,
                env={**os.environ, **env},
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=self._folder,
            )

    def _wait(self) -> None:
        deadline = time.monotonic() + START_TIMEOUT_S
        while self._process.poll() is None and time.monotonic() < deadline:
            with contextlib.suppress(urllib.error.URLError, ConnectionError):
                urllib.request.urlopen(f"{self.url}/api", timeout=5).close()
                return
            time.sleep(0.1)
        tail = self.log.read_text(errors="replace")[-2000:]
        message = f"JupyterLab did not start ({self._process.poll()}):\n{tail}"
        raise RuntimeError(message)

    def write_notebook(self, name: str, cells: Sequence[str]) -> str:
        """Writes a notebook of code cells, in a folder of its own; returns its path."""
        notebook = nbformat.v4.new_notebook(
            cells=[nbformat.v4.new_code_cell(source) for source in cells],
            metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}},
        )
        return self.add_notebook(name, nbformat.writes(notebook))

    def add_notebook(self, name: str, text: str) -> str:
        """Puts the text of a notebook under the server's root; returns its path."""
        folder = self.root / secrets.token_hex(4)
        folder.mkdir()
        (folder / f"{name}.ipynb").write_text(text, encoding="utf-8")
        return f"{folder.name}/{name}.ipynb"

    def page_url(self, path: str) -> str:
        """The address that opens a notebook alone, in a new workspace."""
        workspace = f"auto-{secrets.token_hex(4)}"
        query = f"token={self.token}&reset"
        return f"{self.url}/lab/workspaces/{workspace}/tree/{path}?{query}"

    def close(self) -> None:
        """Ends the server and its kernels."""
        self._process.terminate()
        try:
            self._process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


@contextlib.contextmanager
def running_lab(folder: Path) -> Generator[Lab]:
    """A server for the length of a `with` block."""
    lab = Lab(folder)
    try:
        yield lab
    finally:
        lab.close()
