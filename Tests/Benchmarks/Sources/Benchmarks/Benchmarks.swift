import AllocationCount
import Glibc

/// Costs of a notification: time compared with the same decoder in C, and allocations; and of a stroke,
/// with all that it means to a coach and without.
///
///     swift run -c release Benchmarks                       prints all of it
///     swift run -c release Benchmarks --check-allocations   counts, and fails unless it counts none
@main
struct Benchmarks {
    static func main() throws {
        let corpus = try Corpus()
        let recordings = try ["distance-60m", "intervals-multiplexed"].map(Corpus.init(recording:))
        let disagreements = DecoderComparison.disagreements(in: corpus)
        guard disagreements.isEmpty else {
            fail("Swift and C do not decode the same:\n" + disagreements.joined(separator: "\n"))
        }
        print("Swift and C agree on \(corpus.values.count) values and on every cut of them")
        checkTheCounter()
        let allocations = recordings.reduce(decodeAllocations(corpus.session())) {
            $0 + foldAllocations($1) + ruleAllocations($1)
        }
        if CommandLine.arguments.contains("--check-allocations") {
            guard allocations == 0 else { fail("neither a value nor a quiet moment may allocate") }
        } else {
            compareDecoders(corpus.session(), "as in a session")
            compareDecoders(corpus.shuffled(), "shuffled")
            measureFold(recordings[0])
            measureInsights(recordings[0])
        }
    }

    /// A counter that counts nothing would prove nothing.
    private static func checkTheCounter() {
        let before = allocation_count()
        let array = [UInt8](repeating: 0, count: Int.random(in: 1000...1001))
        guard array.count >= 1000, allocation_count() == before + 1 else {
            fail("allocations are not counted")
        }
    }

    private static func fail(_ reason: String) -> Never {
        print(reason)
        exit(1)
    }

    private static func decodeAllocations(_ corpus: Corpus) -> UInt {
        _ = DecoderComparison.swift(corpus.values)
        let before = allocation_count()
        _ = DecoderComparison.swift(corpus.values)
        let allocations = allocation_count() - before
        print("decode: \(allocations) allocations in \(corpus.values.count) notifications")
        return allocations
    }

    private static func foldAllocations(_ recording: Corpus) -> UInt {
        let (allocations, quiet) = Fold.allocationsWithoutEvents(in: recording.values)
        print("fold: \(allocations) allocations in \(quiet) notifications that cause no event")
        return allocations
    }

    private static func ruleAllocations(_ recording: Corpus) -> UInt {
        let (allocations, quiet) = InsightFold.allocationsWithoutFinds(in: recording.values)
        print("rules: \(allocations) allocations in \(quiet) moments that find nothing")
        return allocations
    }

    /// The same session without insights, and with every rule, rollups, the room and a crew.
    private static func measureInsights(_ recording: Corpus) {
        let values = recording.values
        let strokes = InsightFold(nil).strokes(of: values)
        let times = Measurement(
            valuesPerCall: strokes,
            [
                { UInt64(InsightFold(nil).strokes(of: values)) },
                { UInt64(InsightFold(InsightFold.everything).strokes(of: values)) },
            ]
        ).nanosecondsPerValue
        print(
            "a stroke, all its values decoded and folded: \(rounded(times[0])) ns, with all rules "
                + "\(rounded(times[1])) ns, ratio \(rounded(times[1] / times[0]))")
    }

    private static func measureFold(_ recording: Corpus) {
        let values = recording.values
        let time = Measurement(valuesPerCall: values.count, [{ Fold.events(of: values) }])
            .nanosecondsPerValue[0]
        print("decode and fold, a recorded session: \(rounded(time)) ns")
    }

    private static func compareDecoders(_ corpus: Corpus, _ order: String) {
        let (values, cValues) = (corpus.values, corpus.cValues)
        let times = Measurement(
            valuesPerCall: values.count,
            [{ DecoderComparison.swift(values) }, { DecoderComparison.c(cValues) }]
        ).nanosecondsPerValue
        print(
            "decode, \(order): Swift \(rounded(times[0])) ns, C \(rounded(times[1])) ns, "
                + "ratio \(rounded(times[0] / times[1]))")
    }

    private static func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
}
