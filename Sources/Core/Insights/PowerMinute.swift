import Timeline

/// The power of the last strokes: three of them, and those of the minute before.
struct PowerMinute: Sendable {
    private static let span = Duration.seconds(60)
    /// Of the minute before, so that a few strokes are no measure.
    private static let least = 10
    /// Nobody rows more in a minute.
    private static let capacity = 64
    private static let newest = 3

    private var strokes: [(elapsed: Duration, watts: Int)] = []
    /// What was rowed before it collapsed; nil while it has not.
    private var held: Int?

    init() { strokes.reserveCapacity(Self.capacity + 1) }

    mutating func restart() {
        strokes.removeAll(keepingCapacity: true)
        held = nil
    }

    /// Takes in a stroke. Returns how many percent of the minute before the last three are; nil as
    /// long as there was not enough of it.
    ///
    /// - Parameter isCollapsed: whether an alert fires, which goes on with what was rowed before it.
    mutating func add(_ watts: Int, at elapsed: Duration, isCollapsed: Bool) -> Int? {
        strokes.append((elapsed, watts))
        let old = strokes.prefix { elapsed - $0.elapsed > Self.span }.count
        strokes.removeFirst(max(old, strokes.count - Self.capacity))
        guard strokes.count >= Self.newest else { return nil }
        let mean = strokes.suffix(Self.newest).reduce(0) { $0 + $1.watts } / Self.newest
        let before = strokes.dropLast(Self.newest)
        if !isCollapsed || held == nil {
            held =
                before.count >= Self.least
                ? before.reduce(0) { $0 + $1.watts } / before.count : nil
        }
        guard let held, held > 0 else { return nil }
        return mean * 100 / held
    }
}
