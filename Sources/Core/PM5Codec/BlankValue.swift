/// A payload, reply or parameter that is made by setting its fields.
package protocol FieldwiseValue {
    /// As a monitor has it that has nothing to say.
    static var blank: Self { get }
}

extension FieldwiseValue {
    /// A blank one, but for what `fill` sets.
    package static func with(_ fill: (inout Self) -> Void) -> Self {
        var value = blank
        fill(&value)
        return value
    }
}

/// A `FieldwiseValue` whose fields say themselves what they are in a blank one.
protocol BlankValue: FieldwiseValue {
    init()
}

extension BlankValue {
    package static var blank: Self { Self() }
}
