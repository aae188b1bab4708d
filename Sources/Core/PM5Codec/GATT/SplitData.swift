/// 0x0037, split or interval data: at the end of each; after the rest if there is one.
///
/// | off | size | field | unit | range, none |
/// |---|---|---|---|---|
/// | 0 | 3 | elapsed time | 0.01 s | of the current interval |
/// | 3 | 3 | distance | 0.1 m | of the current interval |
/// | 6 | 3 | split time | 0.1 s | of the finished one |
/// | 9 | 3 | split distance | 1 m | of the finished one |
/// | 12 | 2 | interval rest time | 1 s | |
/// | 14 | 2 | interval rest distance | 1 m | |
/// | 16 | 1 | split type | `IntervalType` | of the work part |
/// | 17 | 1 | split number | 1 | first is 1 |
///
/// Multiplexed: the same. Source: Concept2 BLE definition rev 1.30, 0x0037; without a rest the first two
/// fields have already restarted (captures of 2026).
package struct SplitData: FieldwisePayload {
    package static let characteristic = CharacteristicID.splitData

    /// 0.01 s; of the next interval if there is no rest.
    package var elapsedCentiseconds: UInt32 = 0
    /// 0.1 m, of the next interval; may include metres of a rest.
    package var distanceDecimeters: UInt32 = 0
    /// 0.1 s of work in the finished split or interval, truncated.
    package var splitDeciseconds: UInt32 = 0
    /// Metres of work in the finished split or interval, truncated.
    package var splitDistanceMeters: UInt32 = 0
    /// Seconds of the rest after it; 0 without one.
    package var restSeconds: UInt16 = 0
    /// Metres rowed in that rest.
    package var restDistanceMeters: UInt16 = 0
    /// Of the work in all captures. The document says that it may depend on the state.
    @WireCode package var splitType: IntervalType = .distance
    /// Starts at 1 and wraps after 255; the count in 0x0033 starts at 0.
    package var splitNumber: UInt8 = 1

    /// 18 bytes with either carrier; fewer throw `.truncated`.
    static func length(by carrier: Carrier) -> Int { 18 }

    @inline(__always)
    mutating func code(with coder: inout some PayloadCoder) {
        coder.uint24(&elapsedCentiseconds, "elapsed_time_s", decimals: 2)
        coder.uint24(&distanceDecimeters, "distance_m", decimals: 1)
        coder.uint24(&splitDeciseconds, "split_time_s", decimals: 1)
        coder.uint24(&splitDistanceMeters, "split_distance_m")
        coder.field(&restSeconds, "rest_time_s")
        coder.field(&restDistanceMeters, "rest_distance_m")
        coder.code(&_splitType, "split_type")
        coder.field(&splitNumber, "split_number")
    }
}
