"""The `/ui` stream: a reader written from docs/wire.md sees what ImGui drew."""

import struct
import threading

import numpy as np
import pytest
from imgui_bundle import imgui

from studio_nb.ui import DrawListEncoder, UiContext, UiInput
from studio_nb.wire import packets
from tests.ui_reading import UiReader


class Screen:
    """A context, its encoder and a reader that gets every packet."""

    def __init__(self):
        self.ui = UiContext()
        self.encoder = DrawListEncoder(self.ui)
        self.reader = UiReader()

    def show(self, *texts, full=False, scale=1.0):
        with self.ui.frame(400, 300, scale, 1 / 60):
            for index, text in enumerate(texts):
                imgui.set_next_window_pos((10 + 100 * index, 20))
                imgui.set_next_window_size((90, 60))
                imgui.begin(f"window {index}", flags=imgui.WindowFlags_.no_resize)
                imgui.text(text)
                imgui.end()
        packet = self.encoder.encode(full)
        if packet is not None:
            self.reader.read(packet)
        return packet


@pytest.fixture
def screen():
    screen = Screen()
    yield screen
    screen.ui.close()


def imgui_lists(ui):
    """Returns commands, vertex bytes and indices of each list, by ImGui's objects."""
    with ui.current():
        return [
            (
                [
                    (*c.clip_rect, c.get_tex_id(), c.vtx_offset, c.idx_offset, n)
                    for c in draw_list.cmd_buffer
                    if (n := c.elem_count)
                ],
                b"".join(
                    struct.pack("<4fI", *v.pos, *v.uv, v.col)
                    for v in draw_list.vtx_buffer
                ),
                [*draw_list.idx_buffer],
            )
            for draw_list in imgui.get_draw_data().cmd_lists
        ]


def assert_reader_sees_all(screen):
    reader = screen.reader
    expected = imgui_lists(screen.ui)
    assert len(reader.named) == len(expected)
    for list_id, (commands, vertices, indices) in zip(
        reader.named, expected, strict=True
    ):
        got = reader.drawn(list_id)
        assert got[0] == commands
        assert got[1] == vertices
        assert got[2].tolist() == indices
        assert all(command[4] in reader.textures for command in got[0])


def test_a_full_frame_carries_what_imgui_drew(screen):
    for _ in range(2):
        screen.show("one", "two", full=True)
    assert_reader_sees_all(screen)
    assert (screen.reader.width, screen.reader.height) == (400, 300)
    assert len(screen.reader.named) == 2


def test_the_scale_of_the_display_is_told_and_coordinates_stay_css_pixels(screen):
    screen.show("one", scale=2.0)
    screen.show("one", scale=2.0)
    assert screen.reader.scale == 2.0
    (list_id,) = screen.reader.named
    vertices = np.frombuffer(screen.reader.drawn(list_id)[1], "<f4").reshape(-1, 5)
    assert vertices[:, 0].max() <= 101


def test_text_is_baked_at_the_density_of_the_display(screen):
    inked = []
    for scale in (1.0, 2.0):
        screen.show("Wide", scale=scale)
        screen.show("Wide", scale=scale, full=True)
        (list_id,) = screen.reader.named
        commands, vertices, _ = screen.reader.drawn(list_id)
        uv = np.frombuffer(vertices, "<f4").reshape(-1, 5)[-16:, 2:4]
        size = screen.reader.textures[commands[-1][4]].shape[1::-1]
        inked.append(np.ptp(uv[:4] * size, axis=0))
    assert (inked[1] > 1.7 * inked[0]).all()


def test_an_unchanged_frame_is_none(screen):
    screen.show("same")
    screen.show("same")
    assert screen.show("same") is None


def test_a_frame_that_differs_only_in_the_cursor_is_sent(screen):
    screen.show("same")
    screen.show("same")
    with screen.ui.frame(400, 300, 1, 1 / 60):
        imgui.begin("window 0", flags=imgui.WindowFlags_.no_resize)
        imgui.text("same")
        imgui.end()
        imgui.set_mouse_cursor(imgui.MouseCursor_.hand)
    screen.reader.read(screen.encoder.encode(full=False))
    assert screen.reader.cursor == imgui.MouseCursor_.hand
    assert packets.Tag.UI_LIST not in screen.reader.last_tags


def test_only_lists_that_changed_are_sent(screen):
    screen.show("clock 1", "rest")
    screen.show("clock 1", "rest")
    screen.show("clock 2", "rest")
    assert screen.reader.last_tags.count(packets.Tag.UI_LIST) == 1
    assert_reader_sees_all(screen)


def test_a_difference_restores_the_list_whether_it_grew_or_shrank(screen):
    for text in ("12.34", "12.35", "123.45", "1", "", "a much longer line", "12.34"):
        screen.show(text)
        assert_reader_sees_all(screen)


def test_a_ticking_clock_costs_few_bytes(screen):
    screen.show("12.34 s", "rest")
    screen.show("12.34 s", "rest")
    sizes = [len(screen.show(f"12.{n} s", "rest")) for n in range(35, 65)]
    assert max(sizes) < 500


def test_a_full_frame_after_differences_is_complete_for_a_new_reader(screen):
    for number in range(5):
        screen.show(f"number {number}", "rest")
    screen.reader = UiReader()
    screen.show("number 4", "rest", full=True)
    assert_reader_sees_all(screen)


def test_a_list_that_comes_back_does_not_build_on_a_forgotten_one(screen):
    screen.show("one", "two")
    screen.show("one", "two")
    screen.show("one")
    for _ in range(3):
        screen.show("one", "two")
    assert_reader_sees_all(screen)


def test_new_glyphs_update_the_texture(screen):
    screen.show("abc")
    screen.show("abc")
    packet = screen.show("xyz \N{GREEK SMALL LETTER OMEGA}")
    assert packet is not None
    assert packets.Tag.UI_TEXTURE in screen.reader.last_tags
    with screen.ui.current():
        for texture in imgui.get_platform_io().textures:
            pixels = texture.get_pixels_array().reshape(texture.height, texture.width)
            seen = screen.reader.textures[texture.tex_id][..., 0]
            np.testing.assert_array_equal(seen, pixels)


def test_a_texture_that_imgui_gives_up_is_gone(screen):
    screen.show("abc")
    screen.show("abc")
    before = set(screen.reader.textures)
    many = "".join(map(chr, range(0x400, 0x4F0)))
    for scale in (1.0, 1.5, 2.0, 3.0, 4.0, 5.0):
        for _ in range(3):
            screen.show(many, scale=scale)
            assert_reader_sees_all(screen)
    assert not before & set(screen.reader.textures)
    assert len(screen.reader.textures) == 1


def test_frames_that_nobody_encoded_lose_nothing(screen):
    with screen.ui.frame(400, 300, 1, 1 / 60):
        imgui.begin("window 0")
        imgui.text("never sent: \N{GREEK SMALL LETTER OMEGA}")
        imgui.end()
    screen.show("never sent: \N{GREEK SMALL LETTER OMEGA}")
    assert_reader_sees_all(screen)


def test_the_pointer_belongs_to_imgui_over_windows_only(screen):
    screen.show("one", "two")
    screen.show("one", "two")
    assert screen.reader.rects == [(10, 20, 100, 80), (110, 20, 200, 80)]


def test_the_pointer_belongs_to_imgui_everywhere_while_a_popup_is_open(screen):
    for _ in range(2):
        with screen.ui.frame(400, 300, 1, 1 / 60):
            if not imgui.is_popup_open("menu"):
                imgui.open_popup("menu")
            if imgui.begin_popup("menu"):
                imgui.text("entry")
                imgui.end_popup()
    screen.reader.read(screen.encoder.encode(full=True))
    assert screen.reader.rects == [(0, 0, 400, 300)]


def test_windows_that_take_no_mouse_leave_the_pointer_to_the_view(screen):
    for _ in range(2):
        with screen.ui.frame(400, 300, 1, 1 / 60):
            imgui.begin("overlay", flags=imgui.WindowFlags_.no_inputs)
            imgui.text("text")
            imgui.end()
    screen.reader.read(screen.encoder.encode(full=True))
    assert screen.reader.rects == []


def test_more_vertices_than_16_bits_count_are_sent_with_32_bit_indices(screen):
    for _ in range(2):
        with screen.ui.frame(400, 300, 1, 1 / 60):
            draw_list = imgui.get_foreground_draw_list()
            for index in range(17000):
                draw_list.add_rect_filled((index % 390, 0), (400, 9), 0xFFFFFFFF)
    screen.reader.read(screen.encoder.encode(full=True))
    (list_id,) = screen.reader.named
    _, _, indices = screen.reader.drawn(list_id)
    assert indices.max() == 4 * 17000 - 1


def test_what_imgui_wants_is_told(screen):
    events = UiInput(screen.ui)
    screen.show("one")
    events.apply([{"t": "move", "x": 50, "y": 50}])
    screen.show("one")
    screen.show("one")
    assert screen.reader.flags & 1
    events.apply([{"t": "move", "x": 300, "y": 250}])
    screen.show("one")
    screen.show("one")
    assert screen.reader.flags == 0


def test_it_is_told_whose_the_wheel_is(screen):
    screen.ui.takes_wheel = True
    screen.show("one")
    assert screen.reader.flags == 16
    screen.ui.takes_wheel = False
    screen.show("one")
    assert screen.reader.flags == 0


def test_an_open_popup_is_told(screen):
    with screen.ui.frame(400, 300, 1.0, 1 / 60):
        imgui.open_popup("menu")
        if imgui.begin_popup("menu"):
            imgui.end_popup()
    screen.reader.read(screen.encoder.encode(full=True))
    assert screen.reader.flags & 8


def test_nothing_is_encoded_before_the_first_frame(screen):
    assert screen.encoder.encode(full=True) is None


def test_contexts_of_several_threads_do_not_mix():
    problems = []

    def work(name):
        screen = Screen()
        try:
            for number in range(60):
                screen.show(f"{name} {number}")
                assert_reader_sees_all(screen)
        except BaseException as error:  # noqa: BLE001, told to the test below
            problems.append(error)
        finally:
            screen.ui.close()

    threads = [threading.Thread(target=work, args=(name,)) for name in "ABC"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert problems == []
