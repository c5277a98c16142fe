"""Loading on the sim thread: the current model's source, reloads, live edits.

Answers Studio's `LoadModelEvent` with our loader, whose messages name file and
line, and swaps an edited spec in between two steps.
"""

from collections.abc import Callable

import mujoco
from mujoco.studio import messages, plugin

from studio_nb.errors import StudioError
from studio_nb.spec import sources

Report = Callable[[str, str], None]


class Loader(plugin.SimPlugin):
    """Owns where the model came from.

    Attributes:
        source: The current model's source.
    """

    def __init__(self, source: sources.Source, report: Report) -> None:
        """Starts with a loaded source.

        Args:
            source: What to show first.
            report: Called with a level and a line for the person.
        """
        self.source = source
        self._report = report

    def publish(self, key: int | None = None) -> None:
        """Shows the current source, from keyframe `key` if given."""
        source = self.source
        data = source.data or mujoco.MjData(source.model)
        source.data = None
        if key is not None:
            mujoco.mj_resetDataKeyframe(source.model, data, key)
        for text in source.warnings:
            self._report("warning", text)
        self.handle.set_model(source.model, path=source.path, data=data)

    # Above the handle's own handler, below the person's plugins.
    @messages.handler(priority=messages.Priority.INTERNAL + 1)
    def _on_load(self, event: messages.LoadModelEvent) -> bool:
        try:
            if event.path and event.path != self.source.path:
                self.show(sources.from_path(event.path))
            else:
                self.reload()
        except StudioError as error:
            self._report("error", f"{error}; the model before it goes on")
        return True

    def show(self, source: sources.Source) -> None:
        """Goes on with another model. Sim thread only."""
        self.source = source
        self.publish()

    def reload(self) -> None:
        """Loads the current source again. Sim thread only.

        Raises:
            StudioError: If its file is gone or broken; then nothing has changed.
        """
        self.show(sources.reload(self.source))

    def apply(self, spec: mujoco.MjSpec) -> None:
        """Compiles an edited spec and goes on with it, state kept. Sim thread only.

        Args:
            spec: A changed copy of the source's spec; taken over.

        Raises:
            StudioError: If it does not compile; then nothing has changed.
        """
        source, handle = self.source, self.handle
        with sources.told("the edit") as said:
            model, data = (
                spec.recompile(handle.model, handle.data, vfs=source.vfs)
                if source.vfs
                else spec.recompile(handle.model, handle.data)
            )
        self.source = sources.Source(
            model, spec=spec, path=source.path, vfs=source.vfs, warnings=said
        )
        for text in said:
            self._report("warning", text)
        handle.set_model(model, path=source.path, data=data)
