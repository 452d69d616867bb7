"""moto, the stand-in for SQS, with its counts made quick.

For each message that it sends or receives, it counts all of the queue three times, and asks for the time at each of
them: with thousands of messages a request for ten takes seconds. Here a count asks for the time once.
"""

from moto.core.utils import unix_time_millis
from moto.server import main
from moto.sqs.models import Queue


def visible(message, now):
    return now > message.visible_at


def delayed(message, now):
    return now < message.delayed_until


def those(counts):
    def found(queue):
        now = unix_time_millis()
        return [message for message in queue._messages if counts(message, now)]

    return found


there = those(lambda message, now: visible(message, now) and not delayed(message, now))
Queue.messages = property(there)
Queue.approximate_number_of_messages = property(lambda queue: len(there(queue)))
for name, counts in [("delayed", delayed), ("not_visible", lambda message, now: not visible(message, now))]:
    setattr(
        Queue,
        f"approximate_number_of_messages_{name}",
        property(lambda queue, of=those(counts): len(of(queue))),
    )

main()
