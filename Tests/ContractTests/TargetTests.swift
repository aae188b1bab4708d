import Bytes
import PM5Codec
import Testing

@testable import Contract
@testable import Rowing

/// Targets in commands and in messages.
@Suite struct TargetTests {
    @Test func published() {
        let bands =
            #","target_pace_min_s_per_500m":118.00,"target_pace_max_s_per_500m":122.50,"#
            + #""target_power_min_w":200,"target_power_max_w":220,"#
            + #""target_stroke_rate_min_spm":18,"target_stroke_rate_max_spm":20,"#
            + #""target_heart_rate_min_bpm":140,"target_heart_rate_max_bpm":150"#
        let places =
            #","pace_vs_target":"below","power_vs_target":"below","stroke_rate_vs_target":"above","#
            + #""heart_rate_vs_target":"above"}"#
        let tally = #","target_strokes":3,"in_target_ratio":0.667}"#
        #expect(Sample.stored(Sample.targetStroke).hasSuffix(#"500.0"# + places))
        #expect(Sample.stored(Sample.targetSplit).hasSuffix(#""calories_kcal":32"# + bands + tally))
        #expect(Sample.stored(Sample.targetSummary).hasSuffix("true" + tally))
        #expect(
            Sample.stored(Sample.targetRollup)
                .hasSuffix(#","target_strokes":1,"in_target_ratio":0.000}"#))
        var json = JSONWriter()
        #expect(
            Sample.livePayload(Sample.targetLive, into: &json)
                .hasSuffix(#""speed_m_per_s":4.457"# + bands + places))
    }

    @Test func omitsAbsentLimits() {
        var bands = TargetBands()
        bands.heartRate = TargetBand(low: nil, high: 150)
        var split = Sample.split
        split.targets = bands
        #expect(
            Sample.stored(split).hasSuffix(#""calories_kcal":32,"target_heart_rate_max_bpm":150}"#))
    }

    // MARK: - Pace on the monitor

    private static func bands(pace: TargetBand? = nil, watts: TargetBand? = nil) -> TargetBands {
        var bands = TargetBands()
        (bands.pace, bands.watts) = (pace, watts)
        return bands
    }

    @Test func monitorShowsTheMiddleOfTheBand() {
        // 203 W correspond to a pace of 2:00.
        func shown(_ bands: TargetBands, own: UInt32? = nil) -> UInt32? {
            WorkoutProgram(
                .single(.meters(2000), split: nil), targetPaceCentisecondsPer500m: own
            ).showing(WorkoutTargets([bands])).targetPaceCentisecondsPer500m
        }
        let pace = TargetBand(low: 11_000, high: 11_500)
        #expect(shown(Self.bands(pace: pace)) == 11_250)
        #expect(shown(Self.bands(pace: TargetBand(low: nil, high: 12_000))) == 12_000)
        #expect(shown(Self.bands(watts: TargetBand(low: 193, high: 213))) == 11_991)
        #expect(shown(Self.bands(pace: pace, watts: TargetBand(low: 90, high: 100))) == 11_250)
        #expect(shown(Self.bands(watts: TargetBand(low: 1, high: 2))) == nil)
        #expect(shown(Self.bands(pace: pace), own: 12_345) == 12_345)
        #expect(shown(TargetBands()) == nil)
    }

    @Test func monitorShowsThePaceOfEachInterval() {
        // One of the four intervals already has a pace.
        let interval = WorkoutProgram.Interval(.meters(500), rest: .seconds(60))
        var own = interval
        own.targetPaceCentisecondsPer500m = 9_000
        let targets = WorkoutTargets([
            Self.bands(pace: TargetBand(low: 11_000, high: 11_500)),
            Self.bands(pace: TargetBand(low: 12_000, high: 12_500)),
        ])
        let program = WorkoutProgram(.intervals([interval, interval, interval, own]))
            .showing(targets)
        guard case .intervals(let intervals) = program.plan else {
            Issue.record("no intervals")
            return
        }
        #expect(
            intervals.map(\.targetPaceCentisecondsPer500m) == [11_250, 12_250, 11_250, 9_000])
        #expect(WorkoutProgram(.justRow).showing(targets) == WorkoutProgram(.justRow))
    }
}
