"""The section Noise: noise that the simulation adds to the controls.

`App` draws it in the Inspector, on the viewer thread.
"""

from studio_nb.app import widgets
from studio_nb.app.panel import Panel, Scope
from studio_nb.app.panels import listing

# As far as Studio's own sliders go; more can be typed after Ctrl+click.
_MOST_SCALE = 1.0
_MOST_RATE = 4.0


class Noise(Panel):
    """How strong the noise is, and how slowly it moves."""

    title = "Noise"

    def draw(self, scope: Scope) -> None:
        """Draws both numbers, and sends them when one was changed."""
        if not scope.model.nu:
            listing.say("This model has no actuators, to whose ctrl noise is added.")
            return
        controls = scope.controls
        with widgets.rows("noise") as visible:
            if not visible:
                return
            stronger, scale = widgets.slider(
                "scale",
                controls.noise_scale,
                0.0,
                _MOST_SCALE,
                tip="Standard deviation, in the unit of each ctrl. 0 is no noise.",
            )
            slower, rate = widgets.slider(
                "rate",
                controls.noise_rate,
                0.0,
                _MOST_RATE,
                unit="s",
                tip="How long the noise stays alike. At 0 each step draws anew.",
            )
        if stronger or slower:
            controls.set_noise(max(scale, 0.0), max(rate, 0.0))
