import Foundation
import PM5Codec
import Rowing
import Testing

@testable import MQTTPublishing

/// One message of each kind, whole, against text written by hand.
@Suite struct PayloadTests {
    static let gateway = GatewayID("boathouse")!
    static let seat = StationID("seat-3")!
    static let session = SessionID("01J7ZK3Q5XQ4W8G9T2V6B0C1DE")
    static let clock = WallClock(
        bootID: "5b1f", unixMillisecondsAtBoot: 1_788_627_000_000, isSynchronized: true)
    static let now = BootInstant(nanoseconds: 900_120_999_999)
    static let context = RecordContext(
        athlete: "a-17", monitorSerial: "430012345", clock: clock)
    static let workout = Workout(
        type: .fixedDistanceWithSplits, target: .distance(Meters(500)))

    /// `{"v":1,...,"clock":"synced"` of a record at `now`.
    static func head(_ kind: String, seq: UInt64, erg: Bool = true) -> String {
        #"{"v":1,"kind":"\#(kind)","gw":"boathouse","# + (erg ? #""erg":"seat-3","# : "")
            + #""epoch":"01J0EPOCH","seq":\#(seq),"ts_ms":1788627900120,"#
            + #""time":"2026-09-05T17:05:00.120Z","clock":"synced""#
    }

    private func stored(
        _ body: some RecordBody, sequence: UInt64 = 7, station: StationID? = seat,
        clock: WallClock = clock
    ) -> String {
        var encoder = RecordEncoder()
        let head = RecordHead(
            gateway: Self.gateway,
            stream: StreamID(station: station, kind: type(of: body).recordKind),
            epoch: "01J0EPOCH", sequence: sequence, time: clock.stamp(at: Self.now))
        return String(
            decoding: encoder.encode(body, head: head, context: Self.context), as: UTF8.self)
    }

    /// A stroke with every field; the figures are those of a wire sample.
    @Test func stroke() {
        var stroke = Stroke(
            session: Self.session, at: Self.now, number: 42, elapsed: .centiseconds(12_345),
            distance: Meters(decimeters: 5_000))
        stroke.strokeRate = 24
        stroke.powerWatts = 179
        stroke.pace = Pace(centisecondsPer500m: 12_503)
        stroke.heartRate = 151
        stroke.driveLength = Meters(centimeters: 138)
        stroke.driveTime = .centiseconds(81)
        stroke.recoveryTime = .centiseconds(169)
        stroke.strokeDistance = Meters(centimeters: 1003)
        stroke.peakForce = Newtons(deciPoundsForce: 1234)
        stroke.averageForce = Newtons(deciPoundsForce: 789)
        stroke.work = Joules(decijoules: 6155)
        stroke.calories = 31
        stroke.interval = 2
        stroke.projectedTime = .seconds(125)
        stroke.projectedDistance = Meters(500)
        #expect(
            stored(stroke) == Self.head("stroke", seq: 7)
                + #","session_id":"01J7ZK3Q5XQ4W8G9T2V6B0C1DE","athlete_id":"a-17","stroke":42,"#
                + #""elapsed_s":123.45,"distance_m":500.0,"stroke_rate_spm":24,"power_w":179,"#
                + #""pace_s_per_500m":125.03,"heart_rate_bpm":151,"drive_length_m":1.38,"#
                + #""drive_time_s":0.81,"recovery_time_s":1.69,"stroke_distance_m":10.03,"#
                + #""peak_force_n":548.9,"avg_force_n":351.0,"work_j":615.5,"calories_kcal":31,"#
                + #""interval":2,"projected_time_s":125.00,"projected_distance_m":500.0}"#)
    }

    /// What the monitor did not say is not in the message; a stroke with nothing optional.
    @Test func absentKeys() {
        let stroke = Stroke(
            session: Self.session, at: Self.now, number: 1, elapsed: .zero, distance: .zero)
        #expect(
            stored(stroke) == Self.head("stroke", seq: 7)
                + #","session_id":"01J7ZK3Q5XQ4W8G9T2V6B0C1DE","athlete_id":"a-17","stroke":1,"#
                + #""elapsed_s":0.00,"distance_m":0.0}"#)
    }

    /// Newtons from pounds-force, position and fullness of the curve; by hand.
    @Test func force() {
        let curve = ForceCurve(
            session: Self.session, at: Self.now, stroke: 42, isComplete: true,
            poundsForce: [0, 50, 100, 70])
        let open =
            Self.head("force", seq: 7)
            + #","session_id":"01J7ZK3Q5XQ4W8G9T2V6B0C1DE","stroke":42,"points":4,"#
        #expect(
            stored(curve) == open
                + #""complete":true,"peak_force_n":444.8,"peak_position_ratio":0.667,"#
                + #""avg_to_peak_ratio":0.550,"force_n":[0.0,222.4,444.8,311.4]}"#)
        var torn = curve
        torn.isComplete = false
        #expect(stored(torn) == open + #""complete":false,"force_n":[0.0,222.4,444.8,311.4]}"#)
    }

    @Test func session() {
        let edge = SessionEdge(
            kind: .started, session: Self.session, started: BootInstant(nanoseconds: 1_000_000_000),
            workout: Self.workout, at: Self.now)
        #expect(
            stored(edge) == Self.head("session", seq: 7)
                + #","event":"started","session_id":"01J7ZK3Q5XQ4W8G9T2V6B0C1DE","#
                + #""athlete_id":"a-17","started_ms":1788627001000,"session_type":"distance","#
                + #""workout":"fixed_distance_with_splits","target_distance_m":500.0}"#)
    }

    @Test func split() {
        var split = Split(
            session: Self.session, at: Self.now, number: 2, type: .distanceUndefinedRest,
            distance: Meters(500), duration: .milliseconds(105_300))
        split.averagePowerWatts = 200
        split.averagePace = Pace(decisecondsPer500m: 1053)
        split.averageStrokeRate = 28
        split.averageHeartRate = 160
        split.averageDragFactor = 128
        split.rest = .seconds(60)
        split.restDistance = Meters(35)
        split.workHeartRate = 171
        split.calories = 32
        #expect(
            stored(split) == Self.head("split", seq: 7)
                + #","session_id":"01J7ZK3Q5XQ4W8G9T2V6B0C1DE","athlete_id":"a-17","split":2,"#
                + #""type":"distance_undefined_rest","distance_m":500.0,"duration_s":105.30,"#
                + #""avg_power_w":200,"avg_pace_s_per_500m":105.30,"avg_stroke_rate_spm":28,"#
                + #""avg_heart_rate_bpm":160,"avg_drag_factor":128,"rest_s":60.00,"#
                + #""rest_distance_m":35.0,"work_heart_rate_bpm":171,"calories_kcal":32}"#)
    }

    static func summary() -> Summary {
        var summary = Summary(
            revision: 2, session: session, workout: workout,
            started: BootInstant(nanoseconds: 1_000_000_000), ended: now, at: now,
            result: .milliseconds(105_300), distance: Meters(500), strokes: 52, splits: 5,
            isComplete: true)
        summary.averagePace = Pace(decisecondsPer500m: 1053)
        summary.averagePowerWatts = 300
        summary.maximumPowerWatts = 410
        summary.averageStrokeRate = 30
        summary.averageHeartRate = 165
        summary.minimumHeartRate = 120
        summary.maximumHeartRate = 181
        summary.endingHeartRate = 180
        summary.recoveryHeartRate = 130
        summary.averageDragFactor = 127
        summary.calories = 34
        summary.monitorLogDate = "2026-09-05T19:04"
        summary.isVerifiedAgainstMonitor = true
        return summary
    }

    @Test func summary() {
        #expect(
            stored(Self.summary()) == Self.head("summary", seq: 7)
                + #","revision":2,"session_id":"01J7ZK3Q5XQ4W8G9T2V6B0C1DE","athlete_id":"a-17","#
                + #""session_type":"distance","workout":"fixed_distance_with_splits","#
                + #""target_distance_m":500.0,"started_ms":1788627001000,"#
                + #""ended_ms":1788627900120,"result_time_s":105.30,"distance_m":500.0,"#
                + #""avg_pace_s_per_500m":105.30,"avg_power_w":300,"max_power_w":410,"#
                + #""avg_stroke_rate_spm":30,"avg_heart_rate_bpm":165,"min_heart_rate_bpm":120,"#
                + #""max_heart_rate_bpm":181,"ending_heart_rate_bpm":180,"#
                + #""recovery_heart_rate_bpm":130,"drag_factor_avg":127,"calories_kcal":34,"#
                + #""strokes":52,"splits":5,"complete":true,"pm5_serial":"430012345","#
                + #""pm5_log_date":"2026-09-05T19:04","verified_against_pm5":true}"#)
    }

    @Test func gap() {
        let gap = Gap(
            session: Self.session, at: Self.now, reason: .linkLost, strokes: 17...21,
            duration: .milliseconds(12_345), isRecovered: true)
        let open =
            Self.head("gap", seq: 7)
            + #","session_id":"01J7ZK3Q5XQ4W8G9T2V6B0C1DE","reason":"link_lost","#
        #expect(
            stored(gap) == open
                + #""from_stroke":17,"to_stroke":21,"duration_s":12.35,"recovered":true}"#)
        var quiet = gap
        quiet.strokes = nil
        #expect(stored(quiet) == open + #""duration_s":12.35,"recovered":true}"#)
    }

    @Test func manifest() {
        let manifest = Manifest(
            session: Self.session, strokes: 11...62, strokeCount: 52,
            strokeDigest: String(repeating: "ab", count: 32), forceCount: 51, splitCount: 5,
            gapCount: 0, monitorStrokes: 52)
        #expect(
            stored(manifest) == Self.head("manifest", seq: 7)
                + #","session_id":"01J7ZK3Q5XQ4W8G9T2V6B0C1DE","stroke_first_seq":11,"#
                + #""stroke_last_seq":62,"stroke_count":52,"stroke_sha256":""#
                + String(repeating: "ab", count: 32)
                + #"","force_count":51,"split_count":5,"gap_count":0,"pm5_strokes":52}"#)
    }

    @Test func events() {
        let head = Self.head("event", seq: 7, erg: false)
        #expect(
            stored(GatewayEvent.adapterReset(adapter: "hci0", reason: "tx timeout"), station: nil)
                == head + #","event":"adapter_reset","adapter":"hci0","reason":"tx timeout"}"#)
        #expect(
            stored(
                GatewayEvent.ringDropped(
                    stream: StreamID(station: Self.seat, kind: .stroke), sequences: 3...9),
                station: nil)
                == head
                + #","event":"ring_dropped","stream":"erg/seat-3/stroke","from_seq":3,"to_seq":9}"#)
        #expect(
            stored(GatewayEvent.clockStepped(milliseconds: -31_536_000_000), station: nil)
                == head + #","event":"clock_stepped","step_ms":-31536000000}"#)
    }

    /// Without a trusted clock the boot time stands beside the wall time; by example.
    @Test func unsynchronizedHead() {
        var clock = Self.clock
        clock.isSynchronized = false
        let gap = Gap(
            session: Self.session, at: Self.now, reason: .gatewayRestart, strokes: nil,
            duration: .zero, isRecovered: false)
        #expect(
            stored(gap, clock: clock).contains(
                #""clock":"unsynced","boot_id":"5b1f","boot_ms":900120,"session_id""#))
    }

    /// The stored form and the published one differ in `historical` alone; both are JSON.
    @Test func historicalIsAddedLast() throws {
        let gap = Gap(
            session: Self.session, at: Self.now, reason: .gatewayRestart, strokes: nil,
            duration: .zero, isRecovered: false)
        let stored = stored(gap)
        for flag in [true, false] {
            let published = RecordEncoder.published(Array(stored.utf8), historical: flag)
            #expect(
                String(decoding: published, as: UTF8.self)
                    == stored.dropLast() + #","historical":\#(flag)}"#)
            let object = try JSONSerialization.jsonObject(with: Data(published))
            #expect((object as? [String: Any])?["historical"] as? Bool == flag)
        }
    }

    /// Each word of each enumeration is snake case and no two values share one; over all bytes.
    @Test func words() throws {
        let bytes = UInt8.min...UInt8.max
        let workouts = bytes.map { WorkoutType(rawValue: $0).word }
        let intervals = bytes.map { IntervalType(rawValue: $0).word }
        #expect(Set(workouts).count == 256)
        #expect(Set(intervals).count == 256)
        #expect(workouts[13] == "unrecognized_13")
        let machines = bytes.map { ErgMachineType(rawValue: $0).word }
        let phases = bytes.compactMap { StrokeState(rawValue: $0).word }
        #expect(phases == ["catch", "drive", "finish", "recovery"])
        for word in workouts + intervals + machines {
            #expect(word.wholeMatch(of: /[a-z0-9]+(_[a-z0-9]+)*/) != nil, "\(word)")
        }
    }
}
