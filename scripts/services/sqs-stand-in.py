"""moto, the stand-in for SQS, with its counts made quick and its deletes made sure.

For each message that it sends or receives, it counts all of the queue three times, and asks for the time at each of
them: with thousands of messages a request for ten takes seconds. Here a count asks for the time once.

A delete copies the queue without the message. Of two at once, the later would put back what the other took away: here
one waits for the other, and for what is sent.
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

delete = Queue.delete_message


def delete_alone(queue, receipt_handle):
    with queue._messages_lock:
        delete(queue, receipt_handle)


Queue.delete_message = delete_alone

main()
