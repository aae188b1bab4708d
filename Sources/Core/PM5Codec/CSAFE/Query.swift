import Bytes

/// A request for one value, with the type of its answer: `Query.dragFactor` returns a `UInt8`.
///
/// The wrapper determines the byte order of request and answer. Public queries have no wrapper and are
/// little-endian. IDs and layouts: Concept2 CSAFE definition rev 0.25.
package struct Query<Value: ReplyValue>: Hashable, Sendable {
    /// The command byte, which the reply repeats.
    package let id: UInt8
    /// Nil for a public command.
    package let wrapper: Wrapper?
    /// Data of the request; ids from 0x80 on have none.
    package let parameters: [UInt8]
    /// The byte order of the few values that are the same in every wrapper.
    private let fixedOrder: ByteOrder?

    init(
        _ id: UInt8, in wrapper: Wrapper? = nil, _ parameters: [UInt8] = [],
        fixedOrder: ByteOrder? = nil
    ) {
        self.id = id
        self.wrapper = wrapper
        self.parameters = parameters
        self.fixedOrder = fixedOrder
    }

    /// The same query through the public wrapper 0x1A, whose answers are little-endian.
    ///
    /// Use it for force curves and drag: it works on hardware, while 0x7F is only documented.
    package var throughUserConfiguration: Query {
        precondition(wrapper != nil, "a public command needs no wrapper")
        precondition(parameters.count < 2, "parameters of several bytes have the order of 0x7F")
        return Query(id, in: .userConfiguration, parameters, fixedOrder: fixedOrder)
    }

    /// The command for a frame.
    package var command: Command {
        guard let wrapper else { return .other(id: id, data: parameters) }
        return .wrapped(wrapper, [.get(self)])
    }

    /// The byte order of an answer in `carrier`; nil for a public answer.
    func byteOrder(in carrier: Wrapper?) -> ByteOrder {
        fixedOrder ?? carrier?.byteOrder ?? .little
    }
}

extension ProprietaryCommand {
    /// Returns a query that can share a wrapper with others.
    package static func get(_ query: Query<some ReplyValue>) -> ProprietaryCommand {
        .other(id: query.id, data: query.parameters)
    }
}

/// The commands that contain proprietary commands.
///
/// According to the document, any of them may contain any proprietary command, but each has its own group.
/// Source: Concept2 CSAFE definition rev 0.25, C2 proprietary commands.
package enum Wrapper: UInt8, Hashable, Sendable, CaseIterable {
    /// SETUSERCFG1, a public command; little-endian.
    case userConfiguration = 0x1A
    /// SETPMCFG.
    case setConfiguration = 0x76
    /// SETPMDATA.
    case setData = 0x77
    /// GETPMCFG.
    case getConfiguration = 0x7E
    /// GETPMDATA.
    case getData = 0x7F

    /// The byte order of numbers inside.
    package var byteOrder: ByteOrder {
        self == .userConfiguration ? .little : .big
    }
}
