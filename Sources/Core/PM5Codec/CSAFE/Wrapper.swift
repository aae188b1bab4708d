import Bytes

/// The commands that carry proprietary commands.
///
/// The document lets any of them carry any proprietary command; each has its matching ones.
/// Source: Concept2 CSAFE definition rev 0.25, C2 proprietary commands.
package enum Wrapper: UInt8, Hashable, Sendable, CaseIterable {
    /// SETUSERCFG1, the door from the public commands; little-endian.
    case userConfiguration = 0x1A
    /// SETPMCFG.
    case setConfiguration = 0x76
    /// SETPMDATA.
    case setData = 0x77
    /// GETPMCFG.
    case getConfiguration = 0x7E
    /// GETPMDATA.
    case getData = 0x7F

    /// How multi-byte numbers inside travel.
    package var byteOrder: ByteOrder {
        self == .userConfiguration ? .little : .big
    }
}
