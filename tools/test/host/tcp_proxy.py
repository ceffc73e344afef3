#!/usr/bin/env python3
"""Hands on TCP connections from one port of this machine to another, until it is killed: then they are cut. Usage: tcp_proxy.py FROM TO"""
import select
import socket
import sys


def main():
    listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
    other = {}
    print("listens", flush=True)
    while True:
        for ready in select.select([listener, *other], [], [])[0]:
            if ready is listener:
                near = listener.accept()[0]
                far = socket.create_connection(("127.0.0.1", int(sys.argv[2])))
                other[near], other[far] = far, near
                continue
            data = ready.recv(65536)
            if data:
                other[ready].sendall(data)
            else:
                peer = other.pop(ready)
                other.pop(peer, None)
                ready.close()
                peer.close()
                break


main()
