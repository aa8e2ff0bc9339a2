// SPDX-License-Identifier: Apache-2.0
// The measure for stores in PostgreSQL: their work by hand with libpq. One run is one workload, and prints one line
// as the bench's contract says. The server is that of COREDATA_POSTGRES_URL.
//   postgres-limit --workload W --n N [--reps R]
//   G1_save    COPY of N rows in binary form, in one transaction
//   G2_fetch   one SELECT of N rows in binary form, and every value read
//   G3_change  1,000 UPDATEs that check the version, in one transaction and one pipeline
#include <endian.h>
#include <libpq-fe.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CHANGES 1000
#define STRIDE 611953ll

static PGconn *connection;

static void stop(const char *what) {
  fprintf(stderr, "%s: %s\n", what, PQerrorMessage(connection));
  exit(2);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

static double peak(void) {
  FILE *file = fopen("/proc/self/status", "r");
  char line[256];
  double kilobytes = 0;
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "VmHWM: %lf", &kilobytes) == 1) break;
  if (file) fclose(file);
  return kilobytes / 1024;
}

static void run(const char *text) {
  PGresult *result = PQexec(connection, text);
  ExecStatusType status = PQresultStatus(result);
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) stop(text);
  PQclear(result);
}

// ---------------------------------------------------------------- The rows of the bench's contract

static const char *const zones[6] = {
  "Africa", "Asia", "Europe", "North America", "Oceania", "South America"
};

typedef struct {
  int64_t key, wins;
  double founded;
  const char *zone;
  char name[48], image[32];
} Row;

static uint64_t next(uint64_t *state) {
  uint64_t z = (*state += 0x9E3779B97F4A7C15ull);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

// The second byte of the accented letter in UTF-8; 0 if the letter has none.
static unsigned char accented(char letter) {
  static const char letters[] = "aeiounc";
  static const unsigned char bytes[] = {0xA1, 0xA9, 0xAD, 0xB3, 0xBA, 0xB1, 0xA7};
  const char *found = strchr(letters, letter);
  return found ? bytes[found - letters] : 0;
}

static void fill(Row *row, int64_t number) {
  uint64_t state = (uint64_t)number * 0x9E3779B97F4A7C15ull;
  row->key = number;
  row->wins = (int64_t)(next(&state) % 100);
  row->zone = zones[next(&state) % 6];
  row->founded = (double)(int64_t)(next(&state) % 1000000000ull) - 500000000.0 + 0.5;
  int length = 8 + (int)(next(&state) % 13), end = 0;
  for (int i = 0; i < length; i++) {
    uint64_t random = next(&state);
    char letter = (char)('a' + random % 26);
    int isUpper = (random >> 40) % 8 == 0;
    unsigned char byte = (random >> 32) % 16 == 0 ? accented(letter) : 0;
    if (byte) {
      row->name[end++] = (char)0xC3;
      row->name[end++] = (char)(isUpper ? byte - 0x20 : byte);
    } else {
      row->name[end++] = isUpper ? (char)(letter - 32) : letter;
    }
  }
  row->name[end] = 0;
  snprintf(row->image, sizeof row->image, "flag-%06lld", (long long)number);
}

// ---------------------------------------------------------------- COPY

static char block[1 << 16];
static size_t used;

static void flush(void) {
  if (PQputCopyData(connection, block, (int)used) != 1) stop("COPY");
  used = 0;
}

static void put(const void *bytes, size_t count) {
  if (used + count > sizeof block) flush();
  memcpy(block + used, bytes, count);
  used += count;
}

static void putCount(uint32_t count) {
  count = htobe32(count);
  put(&count, 4);
}

static void putWord(uint64_t word) {
  putCount(8);
  word = htobe64(word);
  put(&word, 8);
}

static void putText(const char *text) {
  size_t count = strlen(text);
  putCount((uint32_t)count);
  put(text, count);
}

static uint64_t bits(double number) {
  uint64_t word;
  memcpy(&word, &number, 8);
  return word;
}

static void copy(const Row *rows, long count) {
  PGresult *result = PQexec(
    connection,
    "COPY team (z_pk, z_ent, z_opt, founded, image, zone, name, wins) FROM STDIN (FORMAT binary)");
  if (PQresultStatus(result) != PGRES_COPY_IN) stop("COPY");
  PQclear(result);
  static const char header[19] = "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0";
  put(header, sizeof header);
  for (long i = 0; i < count; i++) {
    const Row *row = &rows[i];
    uint16_t fields = htobe16(8);
    put(&fields, 2);
    putWord((uint64_t)row->key);
    putCount(4);
    uint32_t entity = htobe32(2);
    put(&entity, 4);
    putWord(1);
    putWord(bits(row->founded));
    putText(row->image);
    putText(row->zone);
    putText(row->name);
    putWord((uint64_t)row->wins);
  }
  uint16_t end = 0xFFFF;
  put(&end, 2);
  flush();
  if (PQputCopyEnd(connection, NULL) != 1) stop("COPY");
  while ((result = PQgetResult(connection))) {
    if (PQresultStatus(result) != PGRES_COMMAND_OK) stop("COPY");
    PQclear(result);
  }
}

static void newTable(void) {
  run(
    "SET client_min_messages = warning; DROP SCHEMA IF EXISTS bench_limit CASCADE; "
    "CREATE SCHEMA bench_limit; SET search_path = bench_limit; "
    "CREATE TABLE team (z_pk bigint PRIMARY KEY, z_ent integer NOT NULL, "
    "z_opt bigint NOT NULL, founded double precision, image text COLLATE \"C\", "
    "zone text COLLATE \"C\", name text COLLATE \"C\", wins bigint)");
}

// ---------------------------------------------------------------- Workloads

static char check[64];

static void checkSum(void) {
  PGresult *result = PQexec(connection, "SELECT count(*) * 1000 + sum(wins) FROM team");
  if (PQresultStatus(result) != PGRES_TUPLES_OK) stop("sum");
  snprintf(check, sizeof check, "%s", PQgetvalue(result, 0, 0));
  PQclear(result);
}

static double save(const Row *rows, long count) {
  newTable();
  double start = now();
  run("BEGIN");
  copy(rows, count);
  run("COMMIT");
  double time = now() - start;
  checkSum();
  return time;
}

static uint64_t word(const PGresult *result, int row, int column) {
  uint64_t word;
  memcpy(&word, PQgetvalue(result, row, column), 8);
  return be64toh(word);
}

typedef struct {
  uint64_t key, sum;
} Read;

static int compareKeys(const void *one, const void *other) {
  uint64_t a = ((const Read *)one)->key, b = ((const Read *)other)->key;
  return (a > b) - (a < b);
}

// The check is made in the order of the keys, because the server may begin a scan anywhere.
static void checkHash(Read *rows, int count) {
  uint64_t hash = 0;
  qsort(rows, (size_t)count, sizeof *rows, compareKeys);
  for (int row = 0; row < count; row++) hash = hash * 1000003 + rows[row].key + rows[row].sum;
  snprintf(check, sizeof check, "%d:%llu", count, (unsigned long long)hash);
}

static double fetch(long expected) {
  Read *rows = malloc((size_t)expected * sizeof *rows);
  if (!rows) exit(2);
  double start = now();
  PGresult *result = PQexecParams(
    connection, "SELECT z_pk, z_opt, founded, image, zone, name, wins FROM team", 0, NULL, NULL,
    NULL, NULL, 1);
  if (PQresultStatus(result) != PGRES_TUPLES_OK || PQntuples(result) != expected) stop("SELECT");
  for (int row = 0; row < expected; row++) {
    uint64_t founded = word(result, row, 2);
    double seconds;
    memcpy(&seconds, &founded, 8);
    uint64_t texts = 0;
    for (int column = 3; column < 6; column++) {
      // A text is read to its end.
      texts += strlen(PQgetvalue(result, row, column));
    }
    rows[row].key = word(result, row, 0);
    rows[row].sum = 7 * word(result, row, 6) + (uint64_t)(int64_t)seconds + 13 * texts;
  }
  double time = now() - start;
  PQclear(result);
  checkHash(rows, (int)expected);
  free(rows);
  return time;
}

static void pipelineResults(int statements) {
  for (int i = 0; i < statements; i++) {
    PGresult *result;
    while ((result = PQgetResult(connection))) {
      ExecStatusType status = PQresultStatus(result);
      if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) stop("pipeline");
      if (!strncmp(PQcmdStatus(result), "UPDATE", 6) && atoi(PQcmdTuples(result)) != 1)
        stop("a row was not updated");
      PQclear(result);
    }
  }
  PGresult *end = PQgetResult(connection);
  if (PQresultStatus(end) != PGRES_PIPELINE_SYNC) stop("pipeline");
  PQclear(end);
}

static double change(long count, int64_t version) {
  double start = now();
  if (!PQenterPipelineMode(connection)) stop("pipeline");
  static const Oid types[3] = {20, 20, 20};
  if (version == 1
    && !PQsendPrepare(
      connection, "change",
      "UPDATE team SET z_opt = z_opt + 1, wins = $1 WHERE z_pk = $2 AND z_opt = $3", 3, types))
    stop("prepare");
  if (!PQsendQueryParams(connection, "BEGIN", 0, NULL, NULL, NULL, NULL, 1)) stop("BEGIN");
  for (long i = 0; i < CHANGES; i++) {
    uint64_t values[3] = {
      htobe64((uint64_t)(version + i % 50)), htobe64((uint64_t)(1 + i * STRIDE % count)),
      htobe64((uint64_t)version)
    };
    const char *contents[3] = {(char *)&values[0], (char *)&values[1], (char *)&values[2]};
    static const int lengths[3] = {8, 8, 8}, formats[3] = {1, 1, 1};
    if (!PQsendQueryPrepared(connection, "change", 3, contents, lengths, formats, 1))
      stop("UPDATE");
  }
  if (!PQpipelineSync(connection)) stop("pipeline");
  pipelineResults(CHANGES + 1 + (version == 1));
  if (!PQexitPipelineMode(connection)) stop("pipeline");
  run("COMMIT");
  double time = now() - start;
  checkSum();
  return time;
}

static int compare(const void *one, const void *other) {
  double a = *(const double *)one, b = *(const double *)other;
  return (a > b) - (a < b);
}

int main(int argc, char **argv) {
  const char *workload = "", *impl = "limit-c", *url = getenv("COREDATA_POSTGRES_URL");
  long count = 0, repetitions = 5;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (!strcmp(argv[i], "--workload")) workload = argv[i + 1];
    if (!strcmp(argv[i], "--impl")) impl = argv[i + 1];
    if (!strcmp(argv[i], "--n")) count = atol(argv[i + 1]);
    if (!strcmp(argv[i], "--reps")) repetitions = atol(argv[i + 1]);
  }
  if (!url || count < CHANGES || repetitions < 1 || repetitions > 100) {
    fprintf(stderr, "usage: COREDATA_POSTGRES_URL=… postgres-limit --workload W --n N [--reps R]\n");
    return 2;
  }
  connection = PQconnectdb(url);
  if (PQstatus(connection) != CONNECTION_OK) stop("connect");
  Row *rows = malloc((size_t)count * sizeof *rows);
  if (!rows) return 2;
  for (long i = 0; i < count; i++) fill(&rows[i], i + 1);
  double times[100];
  if (strcmp(workload, "G1_save")) save(rows, count);
  for (long i = 0; i < repetitions; i++) {
    if (!strcmp(workload, "G1_save")) times[i] = save(rows, count);
    else if (!strcmp(workload, "G2_fetch")) times[i] = fetch(count);
    else if (!strcmp(workload, "G3_change")) times[i] = change(count, i + 1);
    else return 3;
  }
  run("DROP SCHEMA bench_limit CASCADE");
  qsort(times, (size_t)repetitions, sizeof *times, compare);
  printf(
    "{\"impl\":\"%s\",\"workload\":\"%s\",\"n\":%ld,\"ms\":%.4f,\"rss_mb\":%.1f,\"min_ms\":%.4f,"
    "\"reps\":%ld,\"check\":\"%s\"}\n",
    impl, workload, count, times[repetitions / 2], peak(), times[0], repetitions, check);
  return 0;
}
