import Bests

/// How long somebody rowed at each power: small, where the strokes are many.
package struct PowerTime: Equatable, Sendable {
    /// Ascending, each once.
    private let watts: [UInt16]
    /// Hundredths of a second at each.
    private let centiseconds: [UInt32]

    /// Of strokes of which power and time are known.
    package init(_ strokes: [RowedStroke]) {
        var found: [UInt16: UInt32] = [:]
        for stroke in strokes {
            guard let power = stroke.watts.flatMap({ UInt16(exactly: $0) }),
                let long = stroke.centiseconds.flatMap({ UInt32(exactly: $0) })
            else { continue }
            let (sum, isTooLong) = found[power, default: 0].addingReportingOverflow(long)
            if !isTooLong { found[power] = sum }
        }
        let sorted = found.sorted { $0.key < $1.key }
        watts = sorted.map(\.key)
        centiseconds = sorted.map(\.value)
    }

    /// Hundredths of a second in each zone, in their order.
    package func time(in zones: PowerZones) -> [Int64] {
        var times = [Int64](repeating: 0, count: PowerZone.allCases.count)
        for (watts, time) in zip(watts, centiseconds) {
            let zone = zones.zone(of: Int(watts))
            times[PowerZone.allCases.firstIndex(of: zone) ?? 0] += Int64(time)
        }
        return times
    }
}
