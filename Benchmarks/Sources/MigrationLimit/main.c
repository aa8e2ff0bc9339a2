// SPDX-License-Identifier: Apache-2.0
// The physical limit of M1, M2 and M3: the handwritten SQL of each migration, run on a copy of the same store.
//   migration-limit --workload W --n N [--reps R] [--dir DIR] [--impl NAME] [--closes 1]
// One process runs one workload and prints one line of JSON, by the contract of the bench. DIR has the stores
// that `coredata-bench --workload template` and `template-idx` make. Connection: WAL, synchronous=NORMAL.
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DIE(...) do { fprintf(stderr, __VA_ARGS__); fputc('\n', stderr); exit(2); } while (0)

struct migration { const char *name, *suffix, *table, *sql; };
static const struct migration migrations[] = {
    {"M1_open", "", "ZTEAM", 0},
    {"M1_added", "", "ZTEAM", "ALTER TABLE ZTEAM ADD COLUMN ZMOTTO VARCHAR DEFAULT 'none'"},
    {"M2_copied", "-idx", "ZTEAM",
     "CREATE TABLE CDM_ZTEAM (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZWINS INTEGER,"
     " ZQUALIFYINGZONE VARCHAR, ZTEAMNAME VARCHAR);"
     "INSERT INTO CDM_ZTEAM (Z_PK, Z_ENT, Z_OPT, ZWINS, ZQUALIFYINGZONE, ZTEAMNAME)"
     " SELECT Z_PK, Z_ENT, Z_OPT, ZWINS, ZQUALIFYINGZONE, ZTEAMNAME FROM ZTEAM;"
     "DROP TABLE ZTEAM;"
     "ALTER TABLE CDM_ZTEAM RENAME TO ZTEAM;"
     "CREATE INDEX Z_Team_byBench ON ZTEAM (ZQUALIFYINGZONE COLLATE BINARY ASC, ZWINS COLLATE BINARY DESC,"
     " ZTEAMNAME COLLATE BINARY ASC)"},
    // Entities are numbered in the order of their names.
    {"M3_renamed", "-idx", "ZCLUB",
     "ALTER TABLE ZTEAM RENAME TO ZCLUB;"
     "ALTER TABLE ZPLAYER RENAME COLUMN ZTEAM TO ZCLUB;"
     "UPDATE ZCLUB SET Z_ENT = 1;"
     "UPDATE ZPLAYER SET Z_ENT = 2;"
     "UPDATE Z_PRIMARYKEY SET Z_ENT = 3 WHERE Z_NAME = 'Player';"
     "UPDATE Z_PRIMARYKEY SET Z_ENT = 1, Z_NAME = 'Club' WHERE Z_NAME = 'Team';"
     "UPDATE Z_PRIMARYKEY SET Z_ENT = 2 WHERE Z_NAME = 'Player'"},
};

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static double peak_mb(void) {
    FILE *f = fopen("/proc/self/status", "r");
    char line[256];
    double kb = 0;
    while (f && fgets(line, sizeof line, f)) if (sscanf(line, "VmHWM: %lf", &kb) == 1) break;
    if (f) fclose(f);
    return kb / 1024;
}

static void run(sqlite3 *db, const char *sql) {
    char *error = 0;
    if (sqlite3_exec(db, sql, 0, 0, &error)) DIE("%s: %s", sql, error);
}

static sqlite3 *open_store(const char *path) {
    sqlite3 *db;
    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, 0)) DIE("cannot open %s", path);
    run(db, "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL");
    return db;
}

static void remove_store(const char *path) {
    const char *suffixes[] = {"", "-wal", "-shm"};
    for (int i = 0; i < 3; i++) {
        char name[1024];
        snprintf(name, sizeof name, "%s%s", path, suffixes[i]);
        unlink(name);
    }
}

// Synchronizes the copy to disk, so that writing its pages is not part of the measured time.
static void copy_store(const char *from, const char *to) {
    static char buffer[1 << 20];
    remove_store(to);
    int in = open(from, O_RDONLY), out = open(to, O_RDWR | O_CREAT | O_TRUNC, 0644);
    if (in < 0 || out < 0) DIE("cannot copy %s to %s", from, to);
    for (ssize_t count; (count = read(in, buffer, sizeof buffer)) > 0;)
        if (write(out, buffer, count) != count) DIE("cannot write %s", to);
    fsync(out);
    close(in);
    close(out);
}

static long long checksum(const char *path, const char *table) {
    sqlite3 *db = open_store(path);
    sqlite3_stmt *statement;
    char sql[128];
    snprintf(sql, sizeof sql, "SELECT COUNT(*) * 1000 + SUM(ZWINS) FROM %s", table);
    if (sqlite3_prepare_v2(db, sql, -1, &statement, 0) || sqlite3_step(statement) != SQLITE_ROW)
        DIE("%s: %s", sql, sqlite3_errmsg(db));
    long long sum = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return sum;
}

// Returns the time of opening the store and migrating it in one transaction. With `closes`, the time includes closing
// the store, that is, the checkpoint of the log. The library leaves a log of up to 4 MB to a later checkpoint.
static double migrate(const char *path, const char *sql, int closes) {
    double start = now_ms();
    sqlite3 *db = open_store(path);
    if (sql) {
        run(db, "BEGIN IMMEDIATE");
        run(db, sql);
        run(db, "COMMIT");
    } else {
        run(db, "SELECT COUNT(*) FROM sqlite_master");
    }
    double committed = now_ms();
    sqlite3_close(db);
    return (closes ? now_ms() : committed) - start;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

int main(int argc, char **argv) {
    const char *workload = "", *impl = "limit-c", *dir = "/tmp/cdbench/data";
    long long n = 0;
    int reps = 5, closes = 0;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--workload")) workload = argv[i + 1];
        else if (!strcmp(argv[i], "--impl")) impl = argv[i + 1];
        else if (!strcmp(argv[i], "--dir")) dir = argv[i + 1];
        else if (!strcmp(argv[i], "--n")) n = atoll(argv[i + 1]);
        else if (!strcmp(argv[i], "--reps")) reps = atoi(argv[i + 1]);
        else if (!strcmp(argv[i], "--closes")) closes = atoi(argv[i + 1]);
        else DIE("unknown option %s", argv[i]);
    }
    const struct migration *found = 0;
    for (size_t i = 0; i < sizeof migrations / sizeof *migrations; i++)
        if (!strcmp(migrations[i].name, workload)) found = &migrations[i];
    if (!found) return 3;
    if (n <= 0 || reps <= 0 || reps > 1000) DIE("--n and --reps must be positive");
    char source[900], work[900];
    snprintf(source, sizeof source, "%s/ours-team-%lld%s.sqlite", dir, n, found->suffix);
    snprintf(work, sizeof work, "%s/work-%s-%d.sqlite", dir, impl, (int)getpid());
    double times[1000];
    long long sum = 0;
    for (int i = 0; i < reps; i++) {
        copy_store(source, work);
        // As in the library's M1_added, the time of opening is subtracted.
        int adds = !strcmp(workload, "M1_added");
        double base = adds ? migrate(work, 0, 1) : 0;
        times[i] = migrate(work, found->sql, !adds || closes) - base;
        sum = checksum(work, found->table);
    }
    remove_store(work);
    qsort(times, reps, sizeof *times, ascending);
    double median = reps % 2 ? times[reps / 2] : (times[reps / 2 - 1] + times[reps / 2]) / 2;
    printf("{\"impl\":\"%s\",\"workload\":\"%s\",\"n\":%lld,\"ms\":%.4f,\"rss_mb\":%.1f,\"min_ms\":%.4f,"
           "\"reps\":%d,\"check\":\"%lld\"}\n",
           impl, workload, n, median, peak_mb(), times[0], reps, sum);
    return 0;
}
