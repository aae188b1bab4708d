/// The tables of the SQLite store, version by version, forward only.
///
/// A version that was released is never changed: what is added gets the next number. The file says by
/// `user_version` which it has.
enum SQLiteMigrations {
    /// `application_id` of a file that is a store of ours: "rowL".
    static let applicationID: Int64 = 0x726F_774C
    /// The version that this program writes.
    static var newest: Int { all.count }

    /// `all[n]` makes version n + 1 of version n.
    static let all: [String] = [
        numbers + record + reading, alertsAndRollups, targets, roomRollups, said,
        notices, suggestions, removing, plans, places,
        heart, sessionRecords, refused, machines,
    ]

    /// What is known of each stream's numbers. `span` has the numbers that were stored, in ranges; one
    /// whose record was removed on purpose stays there, so that nobody asks for it again.
    static let numbers = """
        CREATE TABLE stream (
            id INTEGER PRIMARY KEY, gw TEXT NOT NULL, epoch TEXT NOT NULL, erg TEXT NOT NULL,
            kind TEXT NOT NULL, begin INTEGER, announced INTEGER NOT NULL DEFAULT 0,
            repeats INTEGER NOT NULL DEFAULT 0, conflicts INTEGER NOT NULL DEFAULT 0,
            UNIQUE (gw, epoch, erg, kind));
        CREATE TABLE span (
            stream INTEGER NOT NULL REFERENCES stream, first INTEGER NOT NULL,
            last INTEGER NOT NULL, PRIMARY KEY (stream, first)) WITHOUT ROWID;
        CREATE TABLE gone (
            stream INTEGER NOT NULL REFERENCES stream, first INTEGER NOT NULL,
            last INTEGER NOT NULL, PRIMARY KEY (stream, first)) WITHOUT ROWID;

        """

    /// The truth. The index keeps a number from naming two records.
    private static let record = """
        CREATE TABLE record (
            id INTEGER PRIMARY KEY, stream INTEGER NOT NULL REFERENCES stream,
            seq INTEGER NOT NULL, ts_ms INTEGER NOT NULL, stored_ms INTEGER NOT NULL,
            body BLOB NOT NULL);
        CREATE UNIQUE INDEX record_number ON record (stream, seq);
        CREATE TABLE conflict (
            id INTEGER PRIMARY KEY, stream INTEGER NOT NULL REFERENCES stream,
            seq INTEGER NOT NULL, stored_ms INTEGER NOT NULL, times INTEGER NOT NULL,
            body BLOB NOT NULL, UNIQUE (stream, seq));

        """

    /// What records say, in the contract's names and units, for reading.
    static let reading = """
        CREATE TABLE session (
            id INTEGER PRIMARY KEY, gw TEXT NOT NULL, session_id TEXT NOT NULL, erg TEXT NOT NULL,
            first_ms INTEGER NOT NULL, state TEXT NOT NULL DEFAULT 'open', athlete_id TEXT,
            started_ms INTEGER, ended_ms INTEGER, session_type TEXT, workout TEXT,
            target_distance_m REAL, target_time_s REAL, target_calories_kcal INTEGER,
            target_work_w_min INTEGER, revision INTEGER, result_time_s REAL, distance_m REAL,
            avg_pace_s_per_500m REAL, avg_power_w INTEGER, max_power_w INTEGER,
            avg_stroke_rate_spm INTEGER, avg_heart_rate_bpm INTEGER, min_heart_rate_bpm INTEGER,
            max_heart_rate_bpm INTEGER, ending_heart_rate_bpm INTEGER,
            recovery_heart_rate_bpm INTEGER, drag_factor_avg INTEGER, calories_kcal INTEGER,
            strokes INTEGER, splits INTEGER, complete INTEGER, pm5_serial TEXT, pm5_log_date TEXT,
            verified_against_pm5 INTEGER, manifest INTEGER REFERENCES record,
            stroke_first_seq INTEGER, stroke_last_seq INTEGER, stroke_count INTEGER,
            stroke_sha256 TEXT, force_count INTEGER, split_count INTEGER, gap_count INTEGER,
            pm5_strokes INTEGER, UNIQUE (gw, session_id));
        CREATE INDEX session_time ON session (first_ms);
        CREATE INDEX session_athlete ON session (athlete_id, first_ms);
        CREATE INDEX session_state ON session (state);
        CREATE TABLE stroke (
            record INTEGER PRIMARY KEY REFERENCES record, session INTEGER REFERENCES session,
            athlete_id TEXT, stroke INTEGER, elapsed_s REAL, distance_m REAL,
            stroke_rate_spm INTEGER, power_w INTEGER, pace_s_per_500m REAL, heart_rate_bpm INTEGER,
            drive_length_m REAL, drive_time_s REAL, recovery_time_s REAL, stroke_distance_m REAL,
            peak_force_n REAL, avg_force_n REAL, work_j REAL, calories_kcal INTEGER,
            interval INTEGER, projected_time_s REAL, projected_distance_m REAL);
        CREATE INDEX stroke_session ON stroke (session, stroke);
        CREATE TABLE force (
            record INTEGER PRIMARY KEY REFERENCES record, session INTEGER REFERENCES session,
            stroke INTEGER, points INTEGER, complete INTEGER, peak_force_n REAL,
            peak_position_ratio REAL, avg_to_peak_ratio REAL, force_n BLOB);
        CREATE INDEX force_session ON force (session, stroke);
        CREATE TABLE split (
            record INTEGER PRIMARY KEY REFERENCES record, session INTEGER REFERENCES session,
            athlete_id TEXT, split INTEGER, type TEXT, distance_m REAL, duration_s REAL,
            avg_power_w INTEGER, avg_pace_s_per_500m REAL, avg_stroke_rate_spm INTEGER,
            avg_heart_rate_bpm INTEGER, avg_drag_factor INTEGER, rest_s REAL, rest_distance_m REAL,
            work_heart_rate_bpm INTEGER, calories_kcal INTEGER);
        CREATE INDEX split_session ON split (session, split);
        CREATE TABLE gap (
            record INTEGER PRIMARY KEY REFERENCES record, session INTEGER REFERENCES session,
            reason TEXT, from_stroke INTEGER, to_stroke INTEGER, uncounted_strokes INTEGER,
            from_split INTEGER, to_split INTEGER, duration_s REAL, recovered INTEGER);
        CREATE INDEX gap_session ON gap (session);
        CREATE TABLE event (
            record INTEGER PRIMARY KEY REFERENCES record, event TEXT, version TEXT, adapter TEXT,
            reason TEXT, stream TEXT, from_seq INTEGER, to_seq INTEGER, dropped_bytes INTEGER,
            step_ms INTEGER);
        CREATE INDEX event_name ON event (event);
        """

    /// What a coach was told, and what minutes and intervals amount to.
    static let alertsAndRollups = """
        CREATE TABLE alert (
            record INTEGER PRIMARY KEY REFERENCES record, session INTEGER REFERENCES session,
            athlete_id TEXT, alert_id TEXT, state TEXT, rule TEXT, severity TEXT, value REAL,
            threshold REAL, since_ms INTEGER, resolution TEXT, acknowledged_ms INTEGER,
            acknowledged_by TEXT);
        CREATE INDEX alert_pair ON alert (alert_id);
        CREATE INDEX alert_session ON alert (session);
        CREATE TABLE rollup (
            record INTEGER PRIMARY KEY REFERENCES record, session INTEGER REFERENCES session,
            athlete_id TEXT, span TEXT, number INTEGER, from_stroke INTEGER, to_stroke INTEGER,
            strokes INTEGER, whole INTEGER, avg_power_w REAL, sd_power_w REAL,
            avg_stroke_rate_spm REAL, sd_stroke_rate_spm REAL, avg_heart_rate_bpm REAL,
            sd_heart_rate_bpm REAL, avg_pace_s_per_500m REAL, sd_pace_s_per_500m REAL,
            drive_to_recovery REAL, peak_position_ratio REAL, avg_to_peak_ratio REAL);
        CREATE INDEX rollup_session ON rollup (session, span, number);
        """

    /// What strokes were held against, and what came of it.
    static let targets = """
        ALTER TABLE session ADD COLUMN target_strokes INTEGER;
        ALTER TABLE session ADD COLUMN in_target_ratio REAL;
        ALTER TABLE stroke ADD COLUMN pace_vs_target TEXT;
        ALTER TABLE stroke ADD COLUMN power_vs_target TEXT;
        ALTER TABLE stroke ADD COLUMN stroke_rate_vs_target TEXT;
        ALTER TABLE stroke ADD COLUMN heart_rate_vs_target TEXT;
        ALTER TABLE split ADD COLUMN target_pace_min_s_per_500m REAL;
        ALTER TABLE split ADD COLUMN target_pace_max_s_per_500m REAL;
        ALTER TABLE split ADD COLUMN target_power_min_w INTEGER;
        ALTER TABLE split ADD COLUMN target_power_max_w INTEGER;
        ALTER TABLE split ADD COLUMN target_stroke_rate_min_spm INTEGER;
        ALTER TABLE split ADD COLUMN target_stroke_rate_max_spm INTEGER;
        ALTER TABLE split ADD COLUMN target_heart_rate_min_bpm INTEGER;
        ALTER TABLE split ADD COLUMN target_heart_rate_max_bpm INTEGER;
        ALTER TABLE split ADD COLUMN target_strokes INTEGER;
        ALTER TABLE split ADD COLUMN in_target_ratio REAL;
        ALTER TABLE rollup ADD COLUMN target_strokes INTEGER;
        ALTER TABLE rollup ADD COLUMN in_target_ratio REAL;
        """

    /// What minutes of a room amount to, and of its crews: without one it is the room's.
    static let roomRollups = """
        CREATE TABLE room_rollup (
            record INTEGER PRIMARY KEY REFERENCES record, crew TEXT, from_ms INTEGER,
            duration_s REAL, strokes INTEGER, distance_m REAL, total_power_w REAL,
            avg_power_w REAL, avg_stroke_rate_spm REAL, avg_heart_rate_bpm REAL,
            pace_s_per_500m REAL);
        CREATE INDEX room_rollup_crew ON room_rollup (crew, from_ms);
        """

    /// What people have said of suggestions, and the suggestions as they were then.
    static let suggestions = """
        CREATE TABLE suggestion (
            athlete_id TEXT NOT NULL, suggestion_id TEXT NOT NULL, said TEXT NOT NULL,
            said_ms INTEGER NOT NULL, until_ms INTEGER, why TEXT, said_by TEXT, set_ms INTEGER,
            body BLOB NOT NULL, PRIMARY KEY (athlete_id, suggestion_id)) WITHOUT ROWID;
        """

    /// The last that gateways said of themselves, which no record holds.
    static let said = """
        CREATE TABLE said (
            gw TEXT NOT NULL, kind TEXT NOT NULL, heard_ms INTEGER NOT NULL, body BLOB NOT NULL,
            PRIMARY KEY (gw, kind)) WITHOUT ROWID;
        """

    /// What was removed on purpose. `removed` has the numbers, in ranges, beside those of `span`; a
    /// session that is `thinned` cannot be held against its manifest any more, and stays as it was
    /// judged. Of somebody who was forgotten there is a digest, and until when, so that what comes late
    /// is not stored; a session's id names nobody.
    static let removing = """
        CREATE TABLE removed (
            stream INTEGER NOT NULL REFERENCES stream, first INTEGER NOT NULL,
            last INTEGER NOT NULL, PRIMARY KEY (stream, first)) WITHOUT ROWID;
        ALTER TABLE session ADD COLUMN thinned INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX session_manifest ON session (manifest);
        CREATE TABLE forgotten_athlete (
            digest TEXT PRIMARY KEY, until_ms INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE forgotten_session (
            gw TEXT NOT NULL, session_id TEXT NOT NULL, PRIMARY KEY (gw, session_id)) WITHOUT ROWID;
        """

    /// What the logbook says by itself, and how far its numbers are given out and published. One that
    /// was taken back has neither a subject nor a content any more.
    static let notices = """
        CREATE TABLE notice (
            seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, subject TEXT, athlete_id TEXT, gw TEXT,
            session_id TEXT, made_ms INTEGER NOT NULL, withdraws INTEGER, body BLOB NOT NULL,
            UNIQUE (kind, subject));
        CREATE INDEX notice_athlete ON notice (athlete_id);
        CREATE TABLE notice_numbers (
            epoch TEXT NOT NULL, since_ms INTEGER NOT NULL, last INTEGER NOT NULL,
            published INTEGER NOT NULL);
        """

    /// Who rowed before at a machine is asked of every ranked piece.
    static let places = "CREATE INDEX session_place ON session (gw, erg, first_ms);"

    /// What groups are to row.
    static let plans = """
        CREATE TABLE training_plan (
            slug TEXT NOT NULL PRIMARY KEY, changed_ms INTEGER NOT NULL,
            body BLOB NOT NULL) WITHOUT ROWID;
        """

    /// What athletes' hearts do at rest and at most.
    static let heart = """
        CREATE TABLE heart (
            athlete_id TEXT NOT NULL PRIMARY KEY, resting_bpm INTEGER NOT NULL,
            maximal_bpm INTEGER NOT NULL, given_ms INTEGER NOT NULL) WITHOUT ROWID;
        """

    /// Records that came and were refused: their numbers, in ranges, and how often for which reason.
    static let refused = """
        CREATE TABLE refused (
            stream INTEGER NOT NULL REFERENCES stream, first INTEGER NOT NULL,
            last INTEGER NOT NULL, PRIMARY KEY (stream, first)) WITHOUT ROWID;
        CREATE TABLE refusal (
            gw TEXT NOT NULL, reason TEXT NOT NULL, times INTEGER NOT NULL,
            last_ms INTEGER NOT NULL, PRIMARY KEY (gw, reason)) WITHOUT ROWID;
        """

    /// What sessions were rowed on. Records that are stored already do not have it.
    static let machines = "ALTER TABLE session ADD COLUMN machine_type TEXT;"

    /// Which records a session's own row is made of, the edges, summaries and manifests, so that they are
    /// found without those of all other sessions at its erg. Of records that are there already, the name
    /// of the session is the 26 letters behind its key.
    static let sessionRecords = """
        CREATE TABLE session_record (
            record INTEGER PRIMARY KEY REFERENCES record, session INTEGER REFERENCES session);
        CREATE INDEX session_record_session ON session_record (session);
        INSERT INTO session_record (record, session) SELECT r.id, session.id FROM stream s
            JOIN record r ON r.stream = s.id JOIN session ON session.gw = s.gw
                AND session.session_id = substr(CAST(r.body AS TEXT),
                    instr(CAST(r.body AS TEXT), '"session_id":"') + 14, 26)
            WHERE s.kind IN ('session', 'summary', 'manifest');
        """
}
