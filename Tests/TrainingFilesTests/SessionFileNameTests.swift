import Testing

@testable import TrainingFiles

@Suite struct SessionFileNameTests {
    @Test(arguments: [
        ("2000m", "2000m"), ("8x500m/1:00r", "8x500m"), ("30:00", "30min"), ("7:22", "7min22s"),
        ("4x5:00/2:00r", "4x5min"), ("1:00:00", "1h"), ("1:02:03", "1h2min3s"), ("0:00", "0s"),
        ("v500m/1:00r...3", "3-intervals"), ("100 cal", "100-cal"), ("3x20 cal/0:30r", "3x20-cal"),
        ("50 watt-minutes", "50-watt-minutes"),
    ])
    func shortensAWorkout(workout: String, name: String) {
        #expect(SessionFileName.short(workout) == name)
    }

    @Test(arguments: [
        ("8x500m/1:00r", "2026-11-26_group_8x500m"), ("*x500m", "2026-11-26_group_500m"),
        ("30:00", "2026-11-26_group_30min"), ("1000m+750m+500m", "2026-11-26_group_3-intervals"),
        (nil, "2026-11-26_group"),
    ])
    func namesAGroupPiece(workout: String?, name: String) {
        #expect(SessionFileName.group(on: "2026-11-26", workout: workout) == name)
    }

    @Test func hasDateAndPersonWithoutAResult() {
        let name = SessionFileName.name(
            on: "2026-11-26", of: "anna", summaries: [Array("{}".utf8)], splits: [])
        #expect(name == "2026-11-26_anna")
    }
}
