/// The tables of the SQLite store, version by version, forward only.
///
/// A released version is never changed; additions get the next number. The file's version is in
/// `user_version`.
enum SQLiteMigrations {
    /// `application_id` of a logbook store: "rowL".
    static let applicationID: Int64 = 0x726F_774C
    /// The version that this program writes.
    static var newest: Int { all.count }

    /// `all[n]` migrates version n to n + 1.
    static let all: [String] = [
        numbers + record + reading, alertsAndRollups, targets, roomRollups, gatewayStatus,
        notices, suggestions, removing, plans, places,
        heart, sessionRecords, refused, machines, people,
        corrections, users, merges, pieceLinks, raceDocuments, pieceAdditions, sessionMetrics,
        recordDictionaries, workouts, ClubQuarterMigration.sqlite,
        sessionPlaces, uploads,
    ]

    /// The known numbers of each stream. `span` contains ranges of stored numbers; a number whose record
    /// was removed on purpose stays there, so that it is not requested again.
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

    /// The authoritative records. The index prevents two records with the same number.
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

    /// Values of the records for reading, in the contract's names and units.
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

    /// Alerts to coaches, and rollups of minutes and intervals.
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

    /// Targets and their results.
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

    /// Rollups of a room's minutes; rows without a crew are for the room.
    static let roomRollups = """
        CREATE TABLE room_rollup (
            record INTEGER PRIMARY KEY REFERENCES record, crew TEXT, from_ms INTEGER,
            duration_s REAL, strokes INTEGER, distance_m REAL, total_power_w REAL,
            avg_power_w REAL, avg_stroke_rate_spm REAL, avg_heart_rate_bpm REAL,
            pace_s_per_500m REAL);
        CREATE INDEX room_rollup_crew ON room_rollup (crew, from_ms);
        """

    /// Responses to suggestions, with the suggestions as they were then.
    static let suggestions = """
        CREATE TABLE suggestion (
            athlete_id TEXT NOT NULL, suggestion_id TEXT NOT NULL, said TEXT NOT NULL,
            said_ms INTEGER NOT NULL, until_ms INTEGER, why TEXT, said_by TEXT, set_ms INTEGER,
            body BLOB NOT NULL, PRIMARY KEY (athlete_id, suggestion_id)) WITHOUT ROWID;
        """

    /// The last status messages of gateways, which no record contains.
    static let gatewayStatus = """
        CREATE TABLE said (
            gw TEXT NOT NULL, kind TEXT NOT NULL, heard_ms INTEGER NOT NULL, body BLOB NOT NULL,
            PRIMARY KEY (gw, kind)) WITHOUT ROWID;
        """

    /// Data removed on purpose. `removed` contains ranges of numbers, which are also in `span`. A `thinned`
    /// session cannot be compared with its manifest any more and keeps its state. For an erased athlete
    /// there is a digest with a time, so that late records are not stored; session ids identify no person.
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

    /// Notices of the logbook, and the state of their numbering. A withdrawn notice has neither subject nor
    /// content.
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

    /// Every ranked piece looks up the previous session on its machine.
    static let places = "CREATE INDEX session_place ON session (gw, erg, first_ms);"

    /// The end of the session before on an erg is found in the index alone, and the sessions of a gateway on a day
    /// without a look at all others of the gateway.
    static let sessionPlaces = """
        DROP INDEX session_place;
        CREATE INDEX session_place ON session (gw, erg, first_ms, session_id, ended_ms);
        CREATE INDEX session_gateway ON session (gw, first_ms);
        """

    /// Training plans of groups.
    static let plans = """
        CREATE TABLE training_plan (
            slug TEXT NOT NULL PRIMARY KEY, changed_ms INTEGER NOT NULL,
            body BLOB NOT NULL) WITHOUT ROWID;
        """

    /// Resting and maximal heart rates of athletes.
    static let heart = """
        CREATE TABLE heart (
            athlete_id TEXT NOT NULL PRIMARY KEY, resting_bpm INTEGER NOT NULL,
            maximal_bpm INTEGER NOT NULL, given_ms INTEGER NOT NULL) WITHOUT ROWID;
        """

    /// Refused records: ranges of numbers, and counts by reason.
    static let refused = """
        CREATE TABLE refused (
            stream INTEGER NOT NULL REFERENCES stream, first INTEGER NOT NULL,
            last INTEGER NOT NULL, PRIMARY KEY (stream, first)) WITHOUT ROWID;
        CREATE TABLE refusal (
            gw TEXT NOT NULL, reason TEXT NOT NULL, times INTEGER NOT NULL,
            last_ms INTEGER NOT NULL, PRIMARY KEY (gw, reason)) WITHOUT ROWID;
        """

    /// Profiles of athletes as JSON, and groups of athletes.
    static let people = """
        CREATE TABLE athlete_profile (
            athlete_id TEXT NOT NULL PRIMARY KEY, changed_ms INTEGER NOT NULL,
            body BLOB NOT NULL) WITHOUT ROWID;
        CREATE TABLE athlete_group (
            group_id TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE group_member (
            group_id TEXT NOT NULL, athlete_id TEXT NOT NULL,
            PRIMARY KEY (group_id, athlete_id)) WITHOUT ROWID;
        CREATE INDEX group_member_athlete ON group_member (athlete_id);
        """

    /// Corrections of athletes by people. `session.athlete_id` is the athlete who counts; for a corrected session,
    /// `recorded_athlete_id` is the one of its records. A session that is forgotten as a whole has records that name
    /// another athlete.
    static let corrections = """
        ALTER TABLE session ADD COLUMN recorded_athlete_id TEXT;
        ALTER TABLE session ADD COLUMN is_corrected INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE forgotten_session ADD COLUMN is_whole INTEGER NOT NULL DEFAULT 0;
        CREATE TABLE assignment_correction (
            id INTEGER PRIMARY KEY, gw TEXT NOT NULL, session_id TEXT NOT NULL, at_ms INTEGER NOT NULL,
            corrected_by TEXT, former_athlete_id TEXT, new_athlete_id TEXT);
        CREATE INDEX correction_session ON assignment_correction (gw, session_id);
        """

    /// People who sign in, and their devices. Of an invitation and of a device's token, only the digest is stored.
    static let users = """
        CREATE TABLE club_user (
            user_id TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL, role TEXT NOT NULL,
            athlete_id TEXT UNIQUE, created_ms INTEGER NOT NULL, invitation TEXT UNIQUE,
            invitation_expires_ms INTEGER) WITHOUT ROWID;
        CREATE TABLE device (
            digest TEXT NOT NULL PRIMARY KEY, user_id TEXT NOT NULL, name TEXT NOT NULL,
            created_ms INTEGER NOT NULL, seen_ms INTEGER NOT NULL) WITHOUT ROWID;
        CREATE INDEX device_user ON device (user_id);
        """

    /// Athlete ids that were merged into another one. `current_athlete_id` is the id at the end of the chain, for
    /// which the sessions count. `saved` is what an undo restores, and NULL once it cannot be undone any more. For a
    /// session that a merge changed, `merged_athlete_id` is the merged id that its records or its correction name.
    static let merges = """
        ALTER TABLE session ADD COLUMN merged_athlete_id TEXT;
        CREATE TABLE athlete_merge (
            athlete_id TEXT NOT NULL PRIMARY KEY, kept_athlete_id TEXT NOT NULL,
            current_athlete_id TEXT NOT NULL, merged_ms INTEGER NOT NULL, merged_by TEXT,
            saved BLOB) WITHOUT ROWID;
        CREATE INDEX athlete_merge_current ON athlete_merge (current_athlete_id);
        """

    /// Links to the results of group pieces. Of their codes, only the digest is stored. `session_ids` has the sessions of
    /// the piece when the link was created, separated by blanks.
    static let pieceLinks = """
        CREATE TABLE piece_link (
            digest TEXT NOT NULL PRIMARY KEY, gw TEXT NOT NULL, session_ids TEXT NOT NULL,
            created_ms INTEGER NOT NULL, created_by TEXT, expires_ms INTEGER NOT NULL) WITHOUT ROWID;
        """

    /// Races and regattas as JSON. `former_body` is the content before the last change.
    static let raceDocuments = """
        CREATE TABLE race_document (
            id TEXT NOT NULL PRIMARY KEY, kind TEXT NOT NULL, changed_ms INTEGER NOT NULL,
            body BLOB NOT NULL, former_body BLOB) WITHOUT ROWID;
        """

    /// Results that coaches added to group pieces: a time in tenths of a second, metres, or a session.
    static let pieceAdditions = """
        CREATE TABLE piece_addition (
            id TEXT NOT NULL PRIMARY KEY, gw TEXT NOT NULL, session_ids TEXT NOT NULL,
            piece_ms INTEGER NOT NULL, athlete_id TEXT NOT NULL, tenths INTEGER, metres INTEGER,
            result_gw TEXT, result_session_id TEXT, day TEXT, note TEXT NOT NULL,
            added_ms INTEGER NOT NULL, added_by TEXT) WITHOUT ROWID;
        CREATE INDEX piece_addition_piece ON piece_addition (gw, piece_ms);
        """

    /// What was computed from the records of sessions (`SessionMetricsTable`). The stroke counts spare lists of
    /// sessions the counting.
    static let sessionMetrics = """
        CREATE TABLE session_metrics (
            session INTEGER PRIMARY KEY REFERENCES session, version INTEGER NOT NULL,
            strokes INTEGER NOT NULL, foreign_strokes INTEGER NOT NULL, started_ms INTEGER,
            centiseconds INTEGER, decimetres INTEGER, machine TEXT, ranked_event TEXT, body BLOB NOT NULL);
        """

    /// The workouts of sessions, which are computed again with all metrics.
    static let workouts = """
        DELETE FROM session_metrics;
        ALTER TABLE session_metrics ADD COLUMN workout TEXT;
        """

    /// The dictionaries of compressed records (`RecordCompression`). PostgreSQL has none.
    ///
    /// `plain_below` is the row of a record: only older records of the kind may be stored as published.
    static let recordDictionaries = """
        CREATE TABLE record_dictionary (
            id INTEGER PRIMARY KEY, kind TEXT NOT NULL, bytes BLOB NOT NULL, plain_below INTEGER NOT NULL);
        """

    /// Uploads of sessions to other services, and the accounts of athletes there. `secret` is encrypted; `plans_read_ms`
    /// is when planned workouts were read from there.
    static let uploads = """
        CREATE TABLE upload (
            gw TEXT NOT NULL, session_id TEXT NOT NULL, athlete_id TEXT NOT NULL, destination TEXT NOT NULL,
            state TEXT NOT NULL, attempts INTEGER NOT NULL, next_ms INTEGER NOT NULL, remote_id TEXT,
            reason TEXT, changed_ms INTEGER NOT NULL,
            PRIMARY KEY (gw, session_id, destination, athlete_id)) WITHOUT ROWID;
        CREATE INDEX upload_next ON upload (destination, state, next_ms);
        CREATE TABLE upload_account (
            athlete_id TEXT NOT NULL, destination TEXT NOT NULL, label TEXT NOT NULL, secret BLOB NOT NULL,
            since_ms INTEGER NOT NULL, problem TEXT, plans_read_ms INTEGER,
            PRIMARY KEY (athlete_id, destination)) WITHOUT ROWID;
        """

    /// The machine type of sessions; nil for records stored earlier.
    static let machines = "ALTER TABLE session ADD COLUMN machine_type TEXT;"

    /// The records behind a session's row: begin, end, summaries and manifests. So they are found without
    /// searching all sessions of the erg. In records stored earlier, the session's id is the 26 letters
    /// after its key.
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
