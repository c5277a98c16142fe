"""Uploaded images: their checks, and that just what a panel draws of them is sent."""

import numpy as np
import pytest
from imgui_bundle import imgui

from studio_nb.ui import DrawListEncoder, Images, UiContext
from studio_nb.wire import packets
from tests.ui_reading import UiReader

RGB = np.arange(4 * 6 * 3, dtype=np.uint8).reshape(4, 6, 3)


@pytest.fixture
def images():
    return Images()


class Screen:
    """A panel that draws images, and a page that gets what is sent."""

    def __init__(self):
        self.ui = UiContext()
        self.images = Images()
        self.encoder = DrawListEncoder(self.ui, self.images)
        self.reader = UiReader()

    def show(self, *drawn, full=False):
        """Draws images of these IDs; returns the tags of what was sent."""
        with self.ui.frame(400, 300, 1.0, 1 / 60):
            imgui.set_next_window_size((300, 200))
            imgui.begin("panel")
            for tex_id in drawn:
                imgui.image(imgui.ImTextureRef(tex_id), (60, 40))
            imgui.end()
        packet = self.encoder.encode(full)
        self.reader.last_tags = []
        self.reader.pixels_sent = 0
        if full:
            self.reader.textures.clear()
        if packet is not None:
            self.reader.read(packet)
        return self.reader.last_tags

    def upload(self, pixels, tex_id=0):
        height, width, bpp = pixels.shape
        return self.images.upload(tex_id, pixels.tobytes(), width, height, bpp)

    def settle(self, *drawn):
        """Draws until nothing is sent any more."""
        while self.show(*drawn):
            pass


@pytest.fixture
def screen():
    screen = Screen()
    yield screen
    screen.ui.close()


# -- what can be uploaded --------------------------------------------------------------


def test_each_image_has_an_id_that_dear_imgui_never_gives(images):
    first = images.upload(0, RGB.tobytes(), 6, 4, 3)
    second = images.upload(0, RGB.tobytes(), 6, 4, 3)
    assert first != second
    assert min(first, second) >= packets.FIRST_IMAGE
    assert max(first, second) < packets.FIRST_PICTURE


@pytest.mark.parametrize(
    "form", [bytes, bytearray, memoryview, lambda raw: raw.decode("latin-1")]
)
def test_bytes_may_come_in_any_form_and_as_studios_strings(images, form):
    tex_id = images.upload(0, form(RGB.tobytes()), 6, 4, 3)
    assert np.array_equal(images.get(tex_id), RGB)


def test_an_array_may_have_any_strides(images):
    tex_id = images.upload(0, RGB[::-1, ::-1], 6, 4, 3)
    assert np.array_equal(images.get(tex_id), RGB[::-1, ::-1])


def test_a_later_change_of_the_callers_array_changes_nothing(images):
    pixels = RGB.copy()
    tex_id = images.upload(0, pixels, 6, 4, 3)
    pixels[:] = 0
    assert np.array_equal(images.get(tex_id), RGB)


def test_grey_is_shown_as_grey(images):
    grey = np.array([[0, 100], [200, 255]], np.uint8)
    tex_id = images.upload(0, grey, 2, 2, 1)
    assert images.get(tex_id).tolist() == np.stack([grey] * 3, axis=-1).tolist()


@pytest.mark.parametrize("nothing", [b"", "", None, np.zeros(0, np.uint8)])
def test_nothing_frees_an_image_and_again_is_fine(images, nothing):
    tex_id = images.upload(0, RGB, 6, 4, 3)
    assert images.upload(tex_id, nothing, 0, 0, 0) == 0
    assert images.upload(tex_id, nothing, 0, 0, 0) == 0
    assert images.get(tex_id) is None


def test_it_tells_whether_anything_changed(images):
    tex_id = images.upload(0, RGB, 6, 4, 3)
    assert images.changed
    images.changed = False
    images.upload(tex_id, RGB, 6, 4, 3)
    assert not images.changed
    images.upload(tex_id, RGB[::-1], 6, 4, 3)
    assert images.changed


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((0, bytes(71), 6, 4, 3), "72 bytes, not 71"),
        ((0, bytes(72), 6, 4, 2), "2 bytes a pixel"),
        ((0, bytes(72), -6, -4, 3), "-6 x -4"),
        ((0, bytes(72), 0, 4, 3), "0 x 4"),
        ((0, bytes(9000), 9000, 1, 1), "each side is 1 to 8192"),
        ((0, bytes(72), 8000, 8000, 3), "at most"),
        ((1, bytes(72), 6, 4, 3), "texture 1 is no image"),
        ((packets.FIRST_IMAGE + 5, bytes(72), 6, 4, 3), "is no image"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(images, arguments, words):
    with pytest.raises(ValueError, match=words):
        images.upload(*arguments)
    assert not images.changed


def test_an_array_of_floats_is_refused_with_the_way_out(images):
    with pytest.raises(TypeError, match="255"):
        images.upload(0, np.ones((4, 6, 3)), 6, 4, 3)


# -- what is sent ----------------------------------------------------------------------


def test_an_image_that_is_drawn_is_sent_once(screen):
    tex_id = screen.upload(RGB)
    screen.show(tex_id)
    assert np.array_equal(screen.reader.textures[tex_id], RGB)
    screen.settle(tex_id)
    assert screen.show(tex_id) == []


def test_one_with_alpha_comes_as_it_is(screen):
    rgba = np.random.default_rng(1).integers(0, 256, (30, 20, 4), np.uint8)
    tex_id = screen.upload(rgba)
    screen.show(tex_id)
    assert np.array_equal(screen.reader.textures[tex_id], rgba)


def test_one_that_nothing_draws_is_not_sent_until_something_does(screen):
    tex_id = screen.upload(RGB)
    screen.show()
    assert tex_id not in screen.reader.textures
    screen.show(tex_id)
    assert np.array_equal(screen.reader.textures[tex_id], RGB)
    screen.settle()
    screen.upload(255 - RGB, tex_id)
    assert screen.show() == []
    screen.show(tex_id)
    assert np.array_equal(screen.reader.textures[tex_id], 255 - RGB)


def test_of_a_change_just_the_part_around_it_is_sent(screen):
    pixels = np.zeros((40, 50, 3), np.uint8)
    tex_id = screen.upload(pixels)
    screen.settle(tex_id)
    pixels[10:14, 20:25] = 200
    screen.upload(pixels, tex_id)
    screen.show(tex_id)
    assert np.array_equal(screen.reader.textures[tex_id], pixels)
    assert screen.reader.pixels_sent == 4 * 5


def test_it_may_change_its_size_and_its_kind(screen):
    tex_id = screen.upload(RGB)
    screen.settle(tex_id)
    other = np.full((9, 7, 4), 77, np.uint8)
    assert screen.upload(other, tex_id) == tex_id
    screen.show(tex_id)
    assert np.array_equal(screen.reader.textures[tex_id], other)


def test_a_full_frame_has_those_that_are_drawn(screen):
    drawn, other = screen.upload(RGB), screen.upload(255 - RGB)
    screen.settle(drawn, other)
    screen.settle(drawn)
    screen.show(drawn, full=True)
    assert np.array_equal(screen.reader.textures[drawn], RGB)
    assert other not in screen.reader.textures
    screen.show(drawn, other)
    assert np.array_equal(screen.reader.textures[other], 255 - RGB)


def test_a_freed_one_is_freed_in_the_page_also_while_drawn(screen):
    tex_id = screen.upload(RGB)
    screen.settle(tex_id)
    screen.images.upload(tex_id, b"", 0, 0, 3)
    assert packets.Tag.UI_TEXTURE_GONE in screen.show(tex_id)
    assert tex_id not in screen.reader.textures
    screen.settle(tex_id)
    screen.upload(RGB, tex_id)
    screen.show(tex_id)
    assert np.array_equal(screen.reader.textures[tex_id], RGB)
