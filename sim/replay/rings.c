#include "sim/replay/rings.h"

#include <arpa/inet.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "sim/engine/tree/json_file.h"

/// What is being read, for messages. Rings and connections are counted from 0, as jq does it.
struct rings_reader {
  const char *path;
  size_t ring, conn;
  bool in_conn;
  struct file_error *error;
};

/// One line about the ring or connection that is being read; always false.
__attribute__((format(printf, 2, 3))) static bool refuse(const struct rings_reader *r, const char *format, ...) {
  char where[80];
  const int used = snprintf(where, sizeof where, "ring [%zu]", r->ring);
  if (r->in_conn) snprintf(where + used, sizeof where - (size_t)used, ", connection [%zu]", r->conn);
  va_list arguments;
  va_start(arguments, format);
  file_error_putv(r->error, r->path, where, format, arguments);
  va_end(arguments);
  return false;
}

/// Checks that `object` is one, has all of the `required` first keys, and no others than `keys`.
static bool check_keys(const struct rings_reader *r, json_t *object, const char *const keys[], size_t count, size_t required) {
  if (!json_is_object(object)) return refuse(r, "must be an object {..}");
  const char *key;
  json_t *value;
  json_object_foreach(object, key, value) {
    size_t i = 0;
    while (i < count && strcmp(keys[i], key) != 0) i++;
    if (i == count) return refuse(r, "unknown key \"%.40s\"", key);
  }
  for (size_t i = 0; i < required; i++) {
    if (json_object_get(object, keys[i]) == NULL) return refuse(r, "\"%s\" is missing", keys[i]);
  }
  return true;
}

static bool get_number(const struct rings_reader *r, json_t *object, const char *key, unsigned low, unsigned high,
                       unsigned *out) {
  const json_t *value = json_object_get(object, key);
  if (!json_is_integer(value)) return refuse(r, "\"%s\" must be a whole number", key);
  const json_int_t number = json_integer_value(value);
  if (number < low || number > high) {
    return refuse(r, "\"%s\" is %lld, must be %u to %u", key, (long long)number, low, high);
  }
  *out = (unsigned)number;
  return true;
}

/// An address goes into 16 bytes, `*v6` says which kind it is.
static bool get_address(const struct rings_reader *r, json_t *object, const char *key, uint8_t out[16], bool *v6) {
  const json_t *value = json_object_get(object, key);
  if (!json_is_string(value)) return refuse(r, "\"%s\" must be a string with an IP address", key);
  const char *text = json_string_value(value);
  memset(out, 0, 16);
  *v6 = strchr(text, ':') != NULL;
  if (inet_pton(*v6 ? AF_INET6 : AF_INET, text, out) != 1) {
    return refuse(r, "\"%s\": \"%.60s\" is no IPv4 or IPv6 address", key, text);
  }
  return true;
}

/// The rings in front of this one, and what was read of it, must not have this connection or rank yet.
static bool check_new(const struct rings_reader *r, const struct rings *rings, const struct named_conn *conn) {
  for (size_t i = 0; i <= r->ring; i++) {
    const struct named_ring *ring = &rings->list[i];
    for (size_t k = 0; k < ring->conn_count; k++) {
      if (conn_key_equal(&ring->conns[k].key, &conn->key)) {
        return refuse(r, "the same connection as ring [%zu], connection [%zu]", i, k);
      }
      if (i == r->ring && ring->conns[k].rank == conn->rank) {
        return refuse(r, "rank %u is that of connection [%zu] already", conn->rank, k);
      }
    }
  }
  return true;
}

static bool read_conn(const struct rings_reader *r, const struct rings *rings, json_t *object, struct named_conn *out) {
  static const char *const keys[] = {"src", "dst", "qpn", "rank", "vlan"};
  bool src_v6, dst_v6;
  if (!check_keys(r, object, keys, 5, 4) || !get_address(r, object, "src", out->key.src, &src_v6) ||
      !get_address(r, object, "dst", out->key.dst, &dst_v6)) {
    return false;
  }
  if (src_v6 != dst_v6) return refuse(r, "\"src\" and \"dst\" must both be IPv4 or both IPv6");
  out->key.v6 = src_v6;
  unsigned vlan = 0;
  if (json_object_get(object, "vlan") != NULL && !get_number(r, object, "vlan", 1, 4094, &vlan)) return false;
  out->key.vlan = (uint16_t)vlan;
  return get_number(r, object, "qpn", 0, 0xFFFFFF, &out->key.qpn) &&
         get_number(r, object, "rank", 0, rings->list[r->ring].workers - 1, &out->rank) && check_new(r, rings, out);
}

static bool read_conns(struct rings_reader *r, const struct rings *rings, json_t *array) {
  struct named_ring *ring = &rings->list[r->ring];
  ring->learn = array == NULL;
  if (array == NULL) return true;
  if (!json_is_array(array)) return refuse(r, "\"connections\" must be an array [..]");
  ring->conns = calloc(json_array_size(array) + 1, sizeof *ring->conns);
  if (ring->conns == NULL) return refuse(r, "out of memory");
  r->in_conn = true;
  for (r->conn = 0; r->conn < json_array_size(array); r->conn++) {
    if (!read_conn(r, rings, json_array_get(array, r->conn), &ring->conns[ring->conn_count])) return false;
    ring->conn_count++;
  }
  r->in_conn = false;
  return true;
}

static bool read_ring(struct rings_reader *r, const struct rings *rings, json_t *object) {
  static const char *const keys[] = {"ring", "workers", "msglen", "window", "connections"};
  struct named_ring *ring = &rings->list[r->ring];
  unsigned id;
  if (!check_keys(r, object, keys, 5, 4) || !get_number(r, object, "ring", 0, UINT16_MAX, &id) ||
      !get_number(r, object, "workers", 1, 256, &ring->workers) ||
      !get_number(r, object, "msglen", 1, UINT16_MAX, &ring->msglen) ||
      !get_number(r, object, "window", 1, 32768, &ring->window)) {
    return false;
  }
  ring->id = (uint16_t)id;
  for (size_t i = 0; i < r->ring; i++) {
    if (rings->list[i].id == id) return refuse(r, "RingID %u is that of ring [%zu] already", id, i);
  }
  return read_conns(r, rings, json_object_get(object, "connections"));
}

static bool read_rings(struct rings_reader *r, json_t *root, struct rings *out) {
  if (!json_is_array(root)) {
    file_error_put(r->error, r->path, NULL, "must be an array of rings [{..}, ..]");
    return false;
  }
  out->list = calloc(json_array_size(root) + 1, sizeof *out->list);
  if (out->list == NULL) {
    file_error_put(r->error, r->path, NULL, "out of memory");
    return false;
  }
  for (r->ring = 0; r->ring < json_array_size(root); r->ring++) {
    out->count++;
    if (!read_ring(r, out, json_array_get(root, r->ring))) return false;
  }
  return true;
}

int rings_load(const char *path, struct rings *out, struct file_error *error) {
  *out = (struct rings){0};
  json_error_t why;
  json_t *root = json_file_read(path, JSON_REJECT_DUPLICATES, &why);
  if (root == NULL) {
    char where[64] = "";
    if (why.line > 0) snprintf(where, sizeof where, "line %d, column %d", why.line, why.column);
    file_error_put(error, path, where, "%s", why.text);
    return -1;
  }
  struct rings_reader reader = {.path = path, .error = error};
  bool ok = read_rings(&reader, root, out);
  json_decref(root);
  if (!ok) rings_free(out);
  return ok ? 0 : -1;
}

void rings_free(struct rings *rings) {
  for (size_t i = 0; i < rings->count; i++) free(rings->list[i].conns);
  free(rings->list);
  *rings = (struct rings){0};
}
