"""Loading on the sim thread: the current model's source, reloads, live edits.

Answers Studio's `LoadModelEvent` with our loader, whose messages name file and
line, and swaps an edited spec in between two steps.
"""

from collections.abc import Callable

import mujoco
from mujoco.studio import messages, plugin

from studio_nb.errors import StudioError
from studio_nb.sim.handle import SimHandle
from studio_nb.spec import sources

Report = Callable[[str, str], None]


class Loader(plugin.SimPlugin):
    """Owns where the model came from.

    Attributes:
        source: The current model's source.
    """

    handle: SimHandle  # ty: ignore[incompatible-property-override] - always ours

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
            self.handle.load_error = error
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

    def apply(self, spec: mujoco.MjSpec, edited: sources.Source) -> None:
        """Compiles an edited spec and goes on with it, state kept. Sim thread only.

        Args:
            spec: A changed copy of the source's spec; taken over.
            edited: The source that it is a copy of.

        Raises:
            StudioError: If it does not compile, or another model was loaded or
                another edit made meanwhile; then nothing has changed.
        """
        if edited is not self.source:
            msg = "the model was replaced while it was edited: edit it again"
            raise StudioError(msg)
        handle = self.handle
        with sources.told("the edit", spec) as said:
            model, data = spec.recompile(
                handle.model, handle.data, **sources.mounted(edited.vfs)
            )
        self.source = sources.Source(
            model, spec=spec, path=edited.path, vfs=edited.vfs, warnings=said
        )
        for text in said:
            self._report("warning", text)
        with handle.editing():
            handle.set_model(model, path=edited.path, data=data)

    @messages.handler(priority=messages.Priority.INTERNAL)
    def _on_post_model(self, event: messages.PostModelEvent) -> None:
        # A plugin may publish a model of its own; then that is what is edited.
        if event.model is not self.source.model:
            self.source = sources.Source(
                event.model, spec=self.handle.spec, path=event.path
            )

    # Above the handle's own handler, which would not tell the viewer.
    @messages.handler(priority=messages.Priority.INTERNAL + 1)
    def _on_model(self, event: messages.ModelEvent) -> bool:
        if event.model is self.handle.model:
            return False
        self.handle.set_model(event.model, path=event.path)
        return True
