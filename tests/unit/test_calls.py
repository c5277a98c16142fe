"""Functions that run on the viewer's loop."""

from concurrent.futures import Future

from studio_nb.calls import CallQueue


def test_they_run_in_order_and_answer():
    queue, futures = CallQueue(), [Future(), Future()]
    queue.put(lambda subject: subject + 1, futures[0])
    queue.put(lambda subject: subject / 0, futures[1])
    queue.run(1)
    assert futures[0].result() == 2
    assert isinstance(futures[1].exception(), ZeroDivisionError)


def test_one_that_asks_again_does_not_hold_up_the_loop():
    queue, turns = CallQueue(), []

    def again(turn):
        turns.append(turn)
        queue.put(again, Future())

    queue.put(again, Future())
    for turn in range(3):
        queue.run(turn)
    assert turns == [0, 1, 2]


def test_one_that_was_cancelled_does_not_run():
    queue, future = CallQueue(), Future()
    queue.put(lambda subject: subject.append(1), future)
    future.cancel()
    queue.run(ran := [])
    assert ran == []
