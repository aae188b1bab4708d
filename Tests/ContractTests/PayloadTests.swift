import Foundation
import PM5Codec
import Testing

@testable import Contract
@testable import Rowing

/// Compares one message of each kind with its expected text.
@Suite struct PayloadTests {
    /// `{"v":1,...,"clock":"synced"` of a record at `now`.
    static func head(_ kind: String, seq: UInt64, erg: Bool = true) -> String {
        #"{"v":1,"kind":"\#(kind)","gw":"boathouse","# + (erg ? #""erg":"seat-3","# : "")
            + #""epoch":"01J0EP0CH000000000000000AA","seq":\#(seq),"ts_ms":1788627900120,"#
            + #""time":"2026-09-05T17:05:00.120Z","clock":"synced""#
    }

    @Test func stroke() {
        #expect(
            Sample.stored(Sample.stroke) == Self.head("stroke", seq: 7)
                + #","session_id":"01J7ZK3Q5XQ4W8G9T2V6B0C1DE","athlete_id":"a-17","stroke":42,"#
                + #""elapsed_s":123.45,"distance_m":500.0,"stroke_rate_spm":24,"power_w":179,"#
                + #""pace_s_per_500m":125.03,"heart_rate_bpm":151,"drive_length_m":1.38,"#
                + #""drive_time_s":0.81,"recovery_time_s":1.69,"stroke_distance_m":10.03,"#
                + #""peak_force_n":548.9,"avg_force_n":351.0,"work_j":615.5,"calories_kcal":31,"#
                + #""interval":2,"projected_time_s":125.00,"projected_distance_m":500.0}"#)
    }

    @Test func omitsUnknownValues() {
        let stroke = Stroke(
            session: Sample.session, at: Sample.now, number: 1, elapsed: .zero, distance: .zero)
        #expect(
            Sample.stored(stroke) == Self.head("stroke", seq: 7)
                + #","session_id":"01J7ZK3Q5XQ4W8G9T2V6B0C1DE","athlete_id":"a-17","stroke":1,"#
                + #""elapsed_s":0.00,"distance_m":0.0}"#)
    }

    @Test func force() {
        let open =
            Self.head("force", seq: 7)
            + #","session_id":"01J7ZK3Q5XQ4W8G9T2V6B0C1DE","stroke":42,"points":4,"#
        #expect(
            Sample.stored(Sample.force) == open
                + #""complete":true,"peak_force_n":444.8,"peak_position_ratio":0.667,"#
                + #""avg_to_peak_ratio":0.550,"force_n":[0.0,222.4,444.8,311.4]}"#)
        var torn = Sample.force
        torn.isComplete = false
        #expect(
            Sample.stored(torn) == open + #""complete":false,"force_n":[0.0,222.4,444.8,311.4]}"#)
    }

    @Test func session() {
        #expect(
            Sample.stored(Sample.edge(Sample.workout)) == Self.head("session", seq: 7)
                + #","event":"started","session_id":"01J7ZK3Q5XQ4W8G9T2V6B0C1DE","#
                + #""athlete_id":"a-17","started_ms":1788627001000,"session_type":"distance","#
                + #""workout":"fixed_distance_with_splits","target_distance_m":500.0,"#
                + #""machine_type":"model_d"}"#)
    }

    @Test func split() {
        #expect(
            Sample.stored(Sample.split) == Self.head("split", seq: 7)
                + #","session_id":"01J7ZK3Q5XQ4W8G9T2V6B0C1DE","athlete_id":"a-17","split":2,"#
                + #""type":"distance_undefined_rest","distance_m":500.0,"duration_s":105.30,"#
                + #""avg_power_w":200,"avg_pace_s_per_500m":105.30,"avg_stroke_rate_spm":28,"#
                + #""avg_heart_rate_bpm":160,"avg_drag_factor":128,"rest_s":60.00,"#
                + #""rest_distance_m":35.0,"work_heart_rate_bpm":171,"calories_kcal":32}"#)
    }

    @Test func summary() {
        #expect(
            Sample.stored(Sample.summary(Sample.workout)) == Self.head("summary", seq: 7)
                + #","revision":2,"session_id":"01J7ZK3Q5XQ4W8G9T2V6B0C1DE","athlete_id":"a-17","#
                + #""session_type":"distance","workout":"fixed_distance_with_splits","#
                + #""target_distance_m":500.0,"machine_type":"model_d","started_ms":1788627001000,"#
                + #""ended_ms":1788627900120,"result_time_s":105.30,"distance_m":500.0,"#
                + #""avg_pace_s_per_500m":105.30,"avg_power_w":300,"max_power_w":410,"#
                + #""avg_stroke_rate_spm":30,"avg_heart_rate_bpm":165,"min_heart_rate_bpm":120,"#
                + #""max_heart_rate_bpm":181,"ending_heart_rate_bpm":180,"#
                + #""recovery_heart_rate_bpm":130,"drag_factor_avg":127,"calories_kcal":34,"#
                + #""strokes":52,"splits":5,"complete":true,"pm5_serial":"430012345","#
                + #""pm5_log_date":"2026-09-05T19:04","pm5_log_address":17359306,"#
                + #""pm5_workout_hash":"41a09a0c97a37088","verified_against_pm5":true}"#)
    }

    @Test func partialSummary() {
        let stored = Sample.stored(Sample.partialSummary)
        #expect(
            stored.contains(
                #""splits":5,"strokes_received_ratio":0.873,"partial_result":true,"#
                    + #""received_time_s":105.30,"received_distance_m":500.0,"complete":true,"#))
        #expect(!stored.contains(#""result_time_s""#))
        #expect(!stored.contains(#""distance_m""#))
    }

    @Test func gap() {
        let open =
            Self.head("gap", seq: 7)
            + #","session_id":"01J7ZK3Q5XQ4W8G9T2V6B0C1DE","reason":"link_lost","#
        #expect(
            Sample.stored(Sample.gap) == open
                + #""from_stroke":17,"to_stroke":21,"duration_s":12.35,"recovered":true}"#)
        var quiet = Sample.gap
        quiet.strokes = nil
        #expect(Sample.stored(quiet) == open + #""duration_s":12.35,"recovered":true}"#)
        #expect(
            Sample.stored(Sample.uncountedGap) == open
                + #""uncounted_strokes":true,"duration_s":12.35,"recovered":true}"#)
        #expect(
            Sample.stored(Sample.splitGap) == open
                + #""from_split":2,"to_split":3,"duration_s":0.00,"recovered":true}"#)
    }

    @Test func manifest() {
        #expect(
            Sample.stored(Sample.manifest) == Self.head("manifest", seq: 7)
                + #","session_id":"01J7ZK3Q5XQ4W8G9T2V6B0C1DE","stroke_first_seq":11,"#
                + #""stroke_last_seq":62,"stroke_count":52,"stroke_sha256":""#
                + String(repeating: "ab", count: 32)
                + #"","force_count":51,"split_count":5,"gap_count":0,"pm5_strokes":52}"#)
    }

    @Test func events() {
        let head = Self.head("event", seq: 7, erg: false) + #","event":"#
        #expect(
            Sample.events.map { Sample.stored($0) } == [
                head + #""started","version":"1.0.0"}"#,
                head + #""config_reloaded"}"#,
                head + #""adapter_reset","adapter":"hci0","reason":"tx timeout"}"#,
                head + #""ring_dropped","stream":"erg/seat-3/stroke","from_seq":3,"to_seq":9,"#
                    + #""reason":"overwritten"}"#,
                head + #""ring_recovered","dropped_bytes":812,"reason":"torn write"}"#,
                head + #""clock_stepped","step_ms":-31536000000}"#,
                head + #""epoch_began","reason":"the disk does not store the numbers","#
                    + #""first_seq":{"erg/seat-3/force":45,"erg/seat-3/stroke":47}}"#,
            ])
    }

    @Test func unsynchronizedHeadHasBootTime() {
        let stored = Sample.stored(Sample.gap, clock: Sample.unsynchronizedClock)
        #expect(
            stored.contains(
                #""clock":"unsynced","boot_id":"5b1f5b1f5b1f5b1f5b1f5b1f5b1f5b1f","boot_ms":900120,"session_id""#
            ))
    }

    @Test func publishedFormAddsOnlyHistorical() throws {
        let stored = Sample.stored(Sample.gap)
        for flag in [true, false] {
            let published = RecordEncoder.published(Array(stored.utf8), historical: flag)
            #expect(
                String(decoding: published, as: UTF8.self)
                    == stored.dropLast() + #","historical":\#(flag)}"#)
            let object = try JSONSerialization.jsonObject(with: Data(published))
            #expect((object as? [String: Any])?["historical"] as? Bool == flag)
            #expect(RecordEncoder.stored(published) == Array(stored.utf8))
        }
    }

    @Test func searchesStoredRecordsWithoutParsing() throws {
        let epochs = #""},"epoch":"NOT"#
        let reset = GatewayEvent.adapterReset(adapter: epochs, reason: #""epoch":"NOR""#)
        let stored = Array(Sample.stored(reset).utf8)
        #expect(StoredRecord.text(of: "epoch", in: stored) == Sample.epoch)
        #expect(StoredRecord.text(of: "gw", in: stored) == "boathouse")
        #expect(StoredRecord.text(of: "erg", in: stored) == nil)
        #expect(StoredRecord.names("adapter_reset", as: "event", in: stored))
        #expect(!StoredRecord.names("NOT", as: "epoch", in: stored))
        #expect(!StoredRecord.names("NOR", as: "epoch", in: stored))
    }

    @Test func wireNamesAreUnique() {
        let bytes = UInt8.min...UInt8.max
        let workouts = bytes.map { WorkoutType(rawValue: $0).wireName }
        let intervals = bytes.map { IntervalType(rawValue: $0).wireName }
        #expect(Set(workouts).count == 256)
        #expect(Set(intervals).count == 256)
        #expect(workouts[13] == "unrecognized_13")
        let machines = bytes.map { ErgMachineType(rawValue: $0).wireName }
        let phases = bytes.compactMap { StrokeState(rawValue: $0).wireName }
        #expect(phases == ["catch", "drive", "finish", "recovery"])
        for word in workouts + intervals + machines {
            #expect(word.wholeMatch(of: /[a-z0-9]+(_[a-z0-9]+)*/) != nil, "\(word)")
        }
    }
}
