#pragma once

/// The database's views: one-line answers to the most frequent queries. docs/database.md explains
/// each, with a query.
namespace memsim::stats {

inline constexpr const char* views = R"sql(
CREATE VIEW named AS
    SELECT part.id AS part, object.run AS run, object.path AS path, part.full_name AS name,
           part.unit AS unit
    FROM part JOIN stat ON stat.id = part.stat JOIN object ON object.id = stat.object;
CREATE VIEW results AS
    SELECT dump.run AS run, dump.id AS dump, dump.label AS label, dump.tick AS tick,
           dump.since_tick AS since_tick, named.path AS path, named.name AS name,
           value.value AS value, named.unit AS unit
    FROM dump JOIN value ON value.dump = dump.id JOIN named ON named.part = value.part;
CREATE VIEW result AS
    SELECT named.run AS run, path, name, value.value AS value, unit
    FROM named JOIN value ON value.part = named.part
         AND value.dump = (SELECT max(id) FROM dump WHERE dump.run = named.run);
CREATE VIEW samples AS
    SELECT named.run AS run, named.path AS path, named.name AS name, series.tick AS tick,
           series.value AS value, named.unit AS unit, stat.kind AS kind
    FROM named JOIN series ON series.part = named.part JOIN part ON part.id = named.part
         JOIN stat ON stat.id = part.stat;

CREATE VIEW launch_results AS
    SELECT launch.run AS run, launch.id AS launch, application, number, kernel, total.path AS path,
           total.name AS name, counted.value AS value, total.unit AS unit
    FROM launch JOIN counted ON counted.launch = launch.id JOIN total ON total.id = counted.total;
CREATE VIEW launches AS
    WITH known AS NOT MATERIALIZED ( -- else all launches of the file are gone through for one
        SELECT counted.launch AS launch, counted.value AS value, total.name AS name,
               object.type AS type,
               (SELECT text FROM param
                WHERE param.object = object.id AND param.name = 'stage') AS stage
        FROM counted JOIN total ON total.id = counted.total JOIN object ON object.id = total.object)
    SELECT run, dispatcher, application, number, kernel, started, ended,
           (ended - started) / 1e6 AS time_ns, instructions, cycles,
           instructions / nullif(cycles, 0) AS ipc,
           (SELECT ifnull(sum(value) FILTER (WHERE name = 'hits'), 0) /
                       sum(value) FILTER (WHERE name = 'accesses')
            FROM known WHERE launch = launch.id AND stage = 'l1') AS l1_hit_rate,
           (SELECT ifnull(sum(value) FILTER (WHERE name = 'hits'), 0) /
                       sum(value) FILTER (WHERE name = 'accesses')
            FROM known WHERE launch = launch.id AND stage = 'l2') AS l2_hit_rate,
           coalesce(
               (SELECT sum(value) FROM known WHERE launch = launch.id AND
                    (type = 'mem.DramController' AND name = 'bus_bytes' OR
                     type GLOB 'ohm.*' AND name = 'dram_bytes')),
               (SELECT sum(value) FROM known -- of a cache in front of a memory that counts no bus
                WHERE launch = launch.id AND type = 'mem.PageCache' AND name = 'dram_bytes'),
               (SELECT 0.0 FROM object JOIN total ON total.object = object.id
                WHERE object.run = launch.run AND
                    (type = 'mem.DramController' AND name = 'bus_bytes' OR
                     (type GLOB 'ohm.*' OR type = 'mem.PageCache') AND name = 'dram_bytes')))
               AS dram_bytes
    FROM launch;

CREATE VIEW argument AS
    SELECT run.id AS run, word.key AS name,
           CASE word.type WHEN 'true' THEN NULL ELSE word.value END AS value
    FROM run, json_each(run.arguments) AS word
    WHERE word.type NOT IN ('null', 'false') AND word.value <> '[]'
    UNION ALL
    SELECT run.id, substr(word.value, 3),
           CASE WHEN next.value GLOB '--*' THEN NULL ELSE next.value END
    FROM run, json_each(run.argv) AS word
         LEFT JOIN json_each(run.argv) AS next ON next.key = word.key + 1
    WHERE run.arguments IS NULL AND word.value GLOB '--*'
    UNION ALL -- options: '--set PATH=VALUE'
    SELECT run, substr(text, 7, instr(text, '=') - 7), substr(text, instr(text, '=') + 1)
    FROM source WHERE kind = 'set';
CREATE VIEW ipc AS
    SELECT run.id AS run, run.name AS script,
           (SELECT value FROM argument WHERE argument.run = run.id AND name = 'platform')
               AS platform,
           ifnull((SELECT value FROM argument WHERE argument.run = run.id AND name = 'workload'),
                  (SELECT group_concat(text) FROM param JOIN object ON object.id = param.object
                   WHERE object.run = run.id AND type = 'workload.Program' AND name = 'name'))
               AS workload,
           (SELECT group_concat(name || ifnull(' ' || value, ''), ' ')
            FROM (SELECT * FROM argument WHERE argument.run = run.id
                  AND name NOT IN ('platform', 'workload', 'seed') ORDER BY name)) AS others,
           seed, value AS ipc
    FROM run JOIN result ON result.run = run.id
    WHERE result.name = 'ipc' AND path = (
        SELECT path FROM object WHERE object.run = run.id AND type = 'gpu.Dispatcher' ORDER BY id);
CREATE VIEW normalised_ipc AS
    SELECT one.script AS script, one.workload AS workload, one.others AS others, one.seed AS seed,
           one.platform AS platform, base.platform AS baseline, one.ipc AS ipc,
           one.ipc / nullif(base.ipc, 0) AS ratio, one.run AS run
    FROM ipc AS one JOIN ipc AS base ON base.script = one.script AND base.seed = one.seed
         AND base.workload IS one.workload AND base.others IS one.others;

CREATE VIEW stages AS
    SELECT run, stage,
           max(CASE WHEN part = 'count' THEN value END) AS requests,
           max(CASE WHEN part = 'mean' THEN value END) AS mean_ns,
           max(CASE WHEN part = 'p50' THEN value END) AS p50_ns,
           max(CASE WHEN part = 'p90' THEN value END) AS p90_ns,
           max(CASE WHEN part = 'p99' THEN value END) AS p99_ns
    FROM (SELECT run, substr(name, 1, instr(name, '.') - 1) AS stage,
                 substr(name, instr(name, '.') + 1) AS part, value
          FROM result WHERE path = 'stages' AND name GLOB '*.*')
    GROUP BY run, stage;
CREATE VIEW slowest AS
    SELECT dump.run AS run, dump.label AS label, rank, number, printf('0x%x', address) AS address,
           opened, sum(time) AS latency_ns,
           group_concat(stage || ' ' || printf('%.1f', time), ', ') AS stages_ns
    FROM slow JOIN dump ON dump.id = slow.dump GROUP BY dump, rank;

CREATE VIEW hit_rates AS
    SELECT run, path, 'hits' AS what, -- grouped, not joined: each value is looked up once
           sum(value) FILTER (WHERE name = 'hits') /
               nullif(ifnull(sum(value) FILTER (WHERE name = 'accesses'),
                             sum(value) FILTER (WHERE name IN ('reads', 'writes'))), 0) AS rate
    FROM result WHERE name IN ('hits', 'accesses', 'reads', 'writes') GROUP BY run, path
    HAVING count(*) FILTER (WHERE name = 'hits') AND rate IS NOT NULL
    UNION ALL
    SELECT run, path, replace(name, '_', ' '), value FROM result WHERE name GLOB '*hit_rate'
    UNION ALL
    SELECT run, path, 'row hits',
           sum(value) FILTER (WHERE name = 'row_hits') / nullif(sum(value), 0)
    FROM result WHERE name IN ('row_hits', 'row_misses', 'row_conflicts') GROUP BY run, path
    UNION ALL
    SELECT run, path || '.bank' || substr(name, instr(name, '[')) AS bank, 'row hits',
           sum(value) FILTER (WHERE name GLOB 'bank_row_hits*') /
               nullif(sum(value) FILTER (WHERE name NOT GLOB 'bank_row_hits*'), 0)
    FROM result
    WHERE name GLOB 'bank_*' AND (name GLOB 'bank_row_hits*' OR name GLOB 'bank_reads*' OR
                                  name GLOB 'bank_writes*')
    GROUP BY run, bank HAVING count(*) = 3;
CREATE VIEW bandwidth AS
    SELECT result.run AS run, path, name, value AS bytes,
           value * 1e15 / nullif(tick - since_tick, 0) AS bytes_per_second
    FROM result JOIN dump ON dump.id = (SELECT max(id) FROM dump WHERE dump.run = result.run)
    WHERE unit = 'Byte' AND name GLOB '*bytes*';
CREATE VIEW bandwidth_over_time AS
    SELECT run, path, name, tick, (value - before) * 1e15 / (tick - previous) AS bytes_per_second
    FROM (SELECT run, path, name, tick, value,
                 lag(value, 1, 0) OVER w AS before, lag(tick, 1, 0) OVER w AS previous
          FROM samples WHERE unit = 'Byte'
          WINDOW w AS (PARTITION BY run, path, name ORDER BY tick))
    WHERE value >= before
    UNION ALL
    SELECT run, path, name, tick, value FROM samples WHERE unit = 'Byte/s';
CREATE VIEW energy AS
    WITH cost AS (
        SELECT object.run AS run, max(text) FILTER (WHERE name = 'part') AS part,
               max(text) FILTER (WHERE name = 'objects') AS objects,
               max(text) FILTER (WHERE name = 'statistic') AS statistic,
               max(value) FILTER (WHERE name = 'each') AS each_fj,
               max(value) FILTER (WHERE name = 'power') AS power_nw,
               max(value) FILTER (WHERE name = 'share') / 1e9 AS share,
               max(text) FILTER (WHERE name = 'source') AS source
        FROM object JOIN param ON param.object = object.id
        WHERE type = 'mem.EnergyCost' GROUP BY object.id),
    lasted AS (
        SELECT run, (tick - since_tick) / 1e15 AS seconds FROM dump
        WHERE id IN (SELECT max(id) FROM dump GROUP BY run))
    SELECT run, path, CASE WHEN path GLOB '*[[]*' THEN substr(path, 1, instr(path, '[') - 1)
                      ELSE path END AS part, name AS statistic, value AS energy_nj, '' AS source
    FROM result WHERE unit = 'nJ' AND name NOT GLOB '*.*'
    UNION ALL
    SELECT cost.run, path, part, statistic, share * value *
               CASE unit WHEN 'mW' THEN seconds * 1e6 ELSE each_fj * 1e-6 END, source
    FROM cost JOIN lasted ON lasted.run = cost.run
         JOIN result ON result.run = cost.run AND result.name = statistic
              AND substr(result.path, 1, length(objects)) = objects
              AND substr(result.path, length(objects) + 1, 1) IN ('', '.', '[')
    UNION ALL
    SELECT cost.run, objects, part, 'time', share * power_nw * seconds, source
    FROM cost JOIN lasted ON lasted.run = cost.run WHERE power_nw > 0
    UNION ALL
    SELECT id, NULL, NULL, NULL, NULL,
           'no object of this run counts energy: state costs with memsim.energy'
    FROM run
    WHERE NOT EXISTS (SELECT 1 FROM cost WHERE cost.run = run.id) AND
          NOT EXISTS (SELECT 1 FROM result WHERE result.run = run.id AND unit = 'nJ');
CREATE VIEW provenance AS
    SELECT object.run AS run, path, name, param.text AS value, ifnull(kind, '') AS kind,
           ifnull(source.text, '') AS source
    FROM param JOIN object ON object.id = param.object LEFT JOIN source ON source.id = param.source;
CREATE VIEW buckets AS
    SELECT dump.run AS run, dump.id AS dump, object.path AS path, stat.name AS name, low, high,
           count, stat.unit AS unit
    FROM distribution JOIN stat ON stat.id = distribution.stat
         JOIN object ON object.id = stat.object JOIN dump ON dump.id = distribution.dump
    WHERE dump.id = (SELECT max(id) FROM dump AS last WHERE last.run = dump.run);
CREATE VIEW percentiles AS
    WITH merged AS (
        SELECT run, name, unit, high, sum(count) AS count,
               CASE WHEN path GLOB '*[[]*' THEN substr(path, 1, instr(path, '[')) || '*' ||
                    substr(path, instr(path, ']')) ELSE path END AS path
        FROM buckets GROUP BY run, 6, name, high),
    counted AS (
        SELECT *, sum(count) OVER up AS below, sum(count) OVER (PARTITION BY run, path, name) AS n
        FROM merged WINDOW up AS (PARTITION BY run, path, name ORDER BY high))
    SELECT DISTINCT run, path, name, unit, n AS count, -- GROUP BY would read all runs for one
           min(CASE WHEN below >= 0.5 * n THEN high END) OVER one AS p50,
           min(CASE WHEN below >= 0.9 * n THEN high END) OVER one AS p90,
           min(CASE WHEN below >= 0.99 * n THEN high END) OVER one AS p99
    FROM counted WINDOW one AS (PARTITION BY run, path, name);
)sql";

} // namespace memsim::stats
