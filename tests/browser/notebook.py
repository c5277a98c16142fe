"""A notebook open in JupyterLab, driven as a person would and asked as none can.

Cells are run through JupyterLab's own commands; the kernel is asked through
`user_expressions`, so that nothing shows in the notebook. Waiting is polling: `poll` is
the one place that lets time pass.
"""

from __future__ import annotations

import ast
import json
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from tests.browser.lab import Lab

ARTIFACTS = Path(__file__).parent / "artifacts"
OPEN_TIMEOUT_S = 90  # the first page of a session compiles JupyterLab's scripts
CELL_TIMEOUT_S = 60
POLL_S = 0.05
TRACE_LINES = 30  # of a cell's traceback, in a test's message

COLOUR = re.compile(r"\x1b\[[0-9;]*m")  # the escapes that colour a traceback

T = TypeVar("T")

_PANEL = "const panel = jupyterapp.shell.currentWidget;"
_KERNEL = _PANEL + "const kernel = panel.sessionContext.session.kernel;"


def slug(name: str) -> str:
    """A name made fit for a file."""
    return re.sub(r"\W+", "-", name).strip("-")


class Notebook:
    """One notebook in one page."""

    def __init__(self, page: Page, lab: Lab, path: str) -> None:
        """Opens the notebook and waits for its kernel.

        Args:
            page: A fresh page.
            lab: The server that has the notebook.
            path: The notebook's path below the server's root.
        """
        self.page = page
        self.errors: list[str] = []
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.goto(lab.page_url(path))
        self.wait_until_open()

    def wait_until_open(self) -> None:
        """Waits until the notebook is shown and its kernel is idle."""
        self.page.wait_for_function(
            "() => globalThis.jupyterapp?.shell?.currentWidget?.sessionContext"
            "?.session?.kernel?.status === 'idle'",
            timeout=OPEN_TIMEOUT_S * 1000,
        )

    def script(self, body: str, argument: Any = None) -> Any:
        """Runs the body of an async function with `panel` and `kernel` in scope.

        Args:
            body: JavaScript; `argument` names the second parameter.
            argument: Anything that JSON can hold.
        """
        return self.page.evaluate(
            f"async (argument) => {{ {_KERNEL} {body} }}", argument
        )

    def run(self, index: int, *, wait: bool = True, check: bool = True) -> None:
        """Runs one cell.

        Args:
            index: Which, from 0.
            wait: Whether to return only when it has finished.
            check: Whether to raise, when it has finished, what it raised.

        Raises:
            AssertionError: The cell raised; holds its traceback's last lines.
        """
        self.script(
            """
            panel.content.activeCellIndex = argument.index;
            panel.content.deselectAll();
            const done = jupyterapp.commands.execute('notebook:run-cell');
            globalThis.cellRuns = true;
            done.finally(() => { globalThis.cellRuns = false; });
            if (argument.wait) await done;
            """,
            {"index": index, "wait": wait},
        )
        if wait and check:
            self.check(index)

    def run_all(self) -> None:
        """Runs every cell, and raises what one of them raised."""
        self.command("notebook:run-all-cells")
        self.check()

    def command(self, name: str, **arguments: Any) -> None:
        """Executes one of JupyterLab's commands and waits for its end."""
        self.script(
            "await jupyterapp.commands.execute(argument.name, argument.arguments);",
            {"name": name, "arguments": arguments},
        )

    def check(self, index: int | None = None) -> None:
        """Raises if the cell (all of them without an index) shows an error."""
        for cell in self.cells() if index is None else [self.cells()[index]]:
            for output in cell["outputs"]:
                if output["output_type"] == "error":
                    trace = COLOUR.sub("", "\n".join(output["traceback"]))
                    end = "\n".join(trace.splitlines()[-TRACE_LINES:])
                    message = f"{cell['source']}\n{output['ename']}\n{end}"
                    raise AssertionError(message)

    def cells(self) -> list[dict[str, Any]]:
        """Source and outputs of each cell as they are shown now."""
        return self.script(
            """
            return panel.content.widgets.map(cell => ({
              source: cell.model.sharedModel.getSource(),
              outputs: cell.model.outputs?.toJSON() ?? [],
            }));
            """
        )

    def text(self, index: int) -> str:
        """What a cell printed, warned, returned and raised, as text."""
        parts = []
        for output in self.cells()[index]["outputs"]:
            if output["output_type"] == "stream":
                parts.append(output["text"])
            elif output["output_type"] == "error":
                parts += [output["ename"], output["evalue"], *output["traceback"]]
            else:
                parts.append(output["data"].get("text/plain", ""))
        return COLOUR.sub("", "\n".join("".join(part) for part in parts))

    def set_source(self, index: int, source: str) -> None:
        """Changes the text of a cell."""
        self.script(
            """
            panel.content.widgets[argument.index].model.sharedModel.setSource(
              argument.source);
            """,
            {"index": index, "source": source},
        )

    def evaluate(self, expression: str) -> Any:
        """The value of a Python expression in the kernel, by way of JSON.

        Raises:
            AssertionError: The expression raised.
        """
        answer = self.script(
            """
            const reply = await kernel.requestExecute({
              code: '', store_history: false,
              user_expressions: {value: `__import__('json').dumps(${argument})`},
            }).done;
            return reply.content.user_expressions.value;
            """,
            expression,
        )
        if answer["status"] == "error":
            message = f"{expression}: {answer['ename']}: {answer['evalue']}"
            raise AssertionError(message)
        return json.loads(ast.literal_eval(answer["data"]["text/plain"]))

    def running(self) -> bool:
        """Whether the cell that `run` started is not done.

        The kernel's status won't do: each message to a widget makes it busy and idle.
        """
        return self.page.evaluate("globalThis.cellRuns")

    def keep_screenshot(self, name: str) -> None:
        """Keeps a picture of the page for eyes, in the folder of artifacts."""
        ARTIFACTS.mkdir(exist_ok=True)
        self.page.screenshot(path=ARTIFACTS / f"{slug(name)}.png")

    def restart(self) -> None:
        """Restarts the kernel, as the menu's command does once it is confirmed."""
        self.script("await panel.sessionContext.restartKernel();")
        self.wait_until_open()

    def interrupt(self) -> None:
        """Interrupts the kernel."""
        self.command("notebook:interrupt-kernel")

    def save(self) -> None:
        """Saves the notebook, so that a reload shows what is shown now."""
        self.script("await panel.context.save();")

    def reload(self) -> None:
        """Reloads the page, which finds its kernel running."""
        # Without `reset` in the address: the workspace is to come back as it is.
        self.page.evaluate(
            "history.replaceState(null, '', location.href.replace('&reset', ''))"
        )
        self.page.reload()
        self.wait_until_open()

    def close(self) -> None:
        """Ends the kernel and closes the page."""
        self.script("await panel.sessionContext.shutdown();")
        self.page.close()

    def show(self, index: int) -> None:
        """Scrolls a cell into sight."""
        self.script(
            "await panel.content.scrollToItem(argument, 'start');",
            index,
        )

    def theme(self, name: str) -> None:
        """Changes JupyterLab's theme: `JupyterLab Dark` or `JupyterLab Light`."""
        self.command("apputils:change-theme", theme=name)

    def count_messages(self) -> None:
        """Counts, from now on, the comm messages from the kernel by their `type`.

        A frame's bytes are counted too. `messages` reads them.
        """
        self.script(
            """
            globalThis.messageCounts = {};
            kernel.iopubMessage.connect((_, message) => {
              const type = message.content?.data?.content?.type;
              if (message.header.msg_type !== 'comm_msg' || !type) return;
              const sizes = (message.buffers ?? []).map(buffer => buffer.byteLength);
              const counts = (globalThis.messageCounts[type] ??= {n: 0, bytes: []});
              counts.n += 1;
              sizes.forEach((size, i) => {
                counts.bytes[i] = (counts.bytes[i] ?? 0) + size;
              });
            });
            """
        )

    def messages(self, kind: str = "frame") -> int:
        """How many messages of a type came since `count_messages`."""
        return self.page.evaluate(
            "kind => globalThis.messageCounts[kind]?.n ?? 0", kind
        )

    def poll(self, read: Callable[[], T], what: str, timeout_s: float = 20) -> T:
        """Reads until the value is true, and returns it.

        Args:
            read: Called again and again; the page goes on in between.
            what: What is waited for, for the message.
            timeout_s: How long.

        Raises:
            AssertionError: It did not become true; names the last value.
        """
        deadline = time.monotonic() + timeout_s
        while True:
            value = read()
            if value:
                return value
            if time.monotonic() > deadline:
                message = f"no {what} within {timeout_s} s: {value!r}"
                raise AssertionError(message)
            self.page.wait_for_timeout(POLL_S * 1000)

    def observe(self, seconds: float) -> None:
        """Lets time pass where the test is that nothing happens in it."""
        self.page.wait_for_timeout(seconds * 1000)
