"""Prints every message of the exchange on.events as one line of JSON, until its standard input closes."""
import json
import os
import sys
import threading

import pika

threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
# On a busy machine the broker may end a handshake after its ten seconds.
parameters = pika.URLParameters(sys.argv[1] + "?connection_attempts=10&retry_delay=1")
channel = pika.BlockingConnection(parameters).channel()
channel.exchange_declare("on.events", exchange_type="topic", durable=True)
queue = channel.queue_declare("", exclusive=True).method.queue
channel.queue_bind(queue, "on.events", "#")


def heard(_channel, method, properties, body):
    told = {
        "key": method.routing_key,
        "body": json.loads(body),
        "properties": {
            "contentType": properties.content_type,
            "deliveryMode": properties.delivery_mode,
            "messageId": properties.message_id,
            "type": properties.type,
            "timestamp": properties.timestamp,
            "appId": properties.app_id,
        },
    }
    print(json.dumps(told), flush=True)


channel.basic_consume(queue, heard, auto_ack=True)
print(json.dumps("listening"), flush=True)
channel.start_consuming()
