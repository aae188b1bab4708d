import TestSupport
import Testing

@testable import Bests

/// The best stretch of a piece.
@Suite struct EffortWindowTests {
    /// Random points: the speed changes with every stroke, with some stops.
    private static func drawn(_ seed: UInt64) -> [WorkPoint] {
        var generator = SeededGenerator(seed: seed)
        var points = [WorkPoint(centiseconds: 0, decimetres: 0)]
        for _ in 0..<Int.random(in: 20...90, using: &generator) {
            let last = points[points.count - 1]
            let metres =
                Int.random(in: 0..<12, using: &generator) == 0
                ? 0 : Int64.random(in: 20...130, using: &generator)
            points.append(
                WorkPoint(
                    centiseconds: last.centiseconds + .random(in: 120...420, using: &generator),
                    decimetres: last.decimetres + metres))
        }
        return points
    }

    /// The heights of the line at x; two if it is vertical there.
    private static func heights(
        _ line: [(x: Double, y: Double)], at x: Double
    ) -> [Double] {
        var found: [Double] = []
        for (left, right) in zip(line, line.dropFirst()) where left.x <= x && x <= right.x {
            if left.x == right.x {
                found += [left.y, right.y]
            } else {
                found.append(left.y + (right.y - left.y) * (x - left.x) / (right.x - left.x))
            }
        }
        return found
    }

    /// Searches all windows that begin or end at a point, and some more.
    private static func reference(
        _ line: [(x: Double, y: Double)], _ length: Double
    ) -> (least: Double?, most: Double?) {
        var starts = line.flatMap { [$0.x, $0.x - length] }
        starts += (0..<50).map { Double($0) / 50 * (line[line.count - 1].x - length) }
        var (least, most): (Double?, Double?)
        for start in starts where start >= 0 && start + length <= line[line.count - 1].x {
            for low in heights(line, at: start) {
                for high in heights(line, at: start + length) {
                    least = min(least ?? .infinity, high - low)
                    most = max(most ?? -.infinity, high - low)
                }
            }
        }
        return (least, most)
    }

    @Test(arguments: 1...20) func matchesAnExhaustiveSearch(seed: Int) {
        // Compares the linear search with a quadratic one on random pieces.
        let points = Self.drawn(UInt64(seed))
        for event in RankedEvent.all {
            let window = EffortWindow(event, in: points)
            switch event {
            case .metres(let metres):
                let line = points.map { (x: Double($0.decimetres), y: Double($0.centiseconds)) }
                let best = Self.reference(line, Double(metres) * 10).least
                #expect(window?.centiseconds == best.map { Int64($0.rounded(.up)) }, "\(event)")
            case .seconds(let seconds):
                let line = points.map { (x: Double($0.centiseconds), y: Double($0.decimetres)) }
                let best = Self.reference(line, Double(seconds) * 100).most
                #expect(window?.decimetres == best.map { Int64($0.rounded(.down)) }, "\(event)")
            }
        }
    }

    @Test func findsAFasterMiddle() throws {
        // 1000 m at 2:00, 500 m at 1:40, 1000 m at 2:00.
        let corners = [(0, 0), (24_000, 10_000), (34_000, 15_000), (58_000, 25_000)]
        let points = corners.map { WorkPoint(centiseconds: Int64($0.0), decimetres: Int64($0.1)) }
        let fast = try #require(EffortWindow(.metres(500), in: points))
        #expect(fast.centiseconds == 10_000 && fast.from == 24_000)
        let long = try #require(EffortWindow(.metres(1000), in: points))
        #expect(long.centiseconds == 22_000)
        let minute = try #require(EffortWindow(.seconds(60), in: points))
        #expect(minute.decimetres == 3000 && (24_000...28_000).contains(minute.from))
        #expect(EffortWindow(.metres(2000), in: points)?.centiseconds == 46_000)
        #expect(EffortWindow(.metres(5000), in: points) == nil)
        #expect(EffortWindow(.metres(100), in: []) == nil)
    }

    @Test func findsWholePieces() {
        for event in RankedEvent.all {
            let end: WorkPoint =
                switch event {
                case .metres(let metres):
                    WorkPoint(centiseconds: Int64(metres) * 24, decimetres: Int64(metres) * 10)
                case .seconds(let seconds):
                    WorkPoint(centiseconds: Int64(seconds) * 100, decimetres: Int64(seconds) * 42)
                }
            let window = EffortWindow(event, in: [WorkPoint(centiseconds: 0, decimetres: 0), end])
            #expect(window?.centiseconds == end.centiseconds, "\(event)")
            #expect(window?.decimetres == end.decimetres && window?.from == 0, "\(event)")
        }
    }
}
