/// The handlers of the methods, by method name.
///
/// Handlers run outside the control queue, so a slow handler delays only its own client.
package struct ControlRoutes: Sendable {
    /// A streamed reply. `more`: another one follows.
    package enum Step<Reply: Sendable>: Sendable {
        case more(Reply)
        case last(Reply)
    }

    /// Produces one reply per call. Called again only when the previous reply has been sent.
    package typealias Source<Reply: Sendable> = @Sendable () async throws -> Step<Reply>

    typealias Route = @Sendable (_ request: [UInt8], _ more: Bool) throws -> ControlCall

    private var routes: [String: Route] = [:]

    package init() {}

    /// The interfaces of all methods, sorted.
    var interfaces: [String] {
        Set(routes.keys.map { $0.interfacePart }).sorted()
    }

    /// Answers `method` with one reply.
    package mutating func on<Method: ControlMethod>(
        _ method: Method.Type,
        _ handler: @escaping @Sendable (Method.Parameters) async throws -> Method.Reply
    ) {
        routes[Method.name] = { request, _ in
            let parameters = try Self.parameters(of: Method.self, request)
            return ControlCall {
                let reply = try await handler(parameters)
                return .last(try VarlinkMessage.reply(reply, continues: false))
            }
        }
    }

    /// Answers `method` with a stream of replies. The client must set `more`.
    package mutating func onStream<Method: ControlMethod>(
        _ method: Method.Type,
        _ open: @escaping @Sendable (Method.Parameters) throws -> Source<Method.Reply>
    ) {
        routes[Method.name] = { request, more in
            guard more else { throw ControlFailure.expectedMore }
            let next = try open(try Self.parameters(of: Method.self, request))
            return ControlCall {
                switch try await next() {
                case .more(let reply): .more(try VarlinkMessage.reply(reply, continues: true))
                case .last(let reply): .last(try VarlinkMessage.reply(reply, continues: false))
                }
            }
        }
    }

    /// Answers `Status` and `Watch` from one snapshot of the gateway with all its ergs.
    package mutating func onStatus(_ snapshot: @escaping @Sendable () async -> StatusReply) {
        on(RowgateInterface.Status.self) { parameters in
            var status = await snapshot()
            guard let slug = parameters.erg else { return status }
            let names = status.ergs.map(\.slug).joined(separator: ", ")
            status.ergs.removeAll { $0.slug != slug }
            guard !status.ergs.isEmpty else {
                throw ControlFailure(
                    rowgate: "UnknownErg", message: "no erg is called \(slug); there are: \(names)")
            }
            return status
        }
        onStream(RowgateInterface.Watch.self) { parameters in
            let requested = parameters.intervalMilliseconds ?? 500
            let interval = Duration.milliseconds(min(max(requested, 100), 60_000))
            let hasReplied = OnceFlag()
            return {
                if !hasReplied.set() { try await Task.sleep(for: interval) }
                return .more(await snapshot())
            }
        }
    }

    /// Returns the call that answers a request. An invalid request gives a call that replies with
    /// an error.
    func makeCall(for request: [UInt8]) -> ControlCall {
        let head: VarlinkMessage.RequestHead
        do {
            head = try VarlinkMessage.requestHead(request)
        } catch {
            return .hangUp(.malformedRequest("a request is a JSON object with a method"))
        }
        let call: ControlCall
        do {
            guard let route = routes[head.method] else { throw notFound(head.method) }
            call = try route(request, head.more ?? false)
        } catch {
            call = ControlCall { throw error }
        }
        return head.oneway == true ? call.withoutReply : call
    }

    private func notFound(_ method: String) -> ControlFailure {
        interfaces.contains(method.interfacePart)
            ? .methodNotFound(method) : .interfaceNotFound(method.interfacePart)
    }

    private static func parameters<Method: ControlMethod>(
        of method: Method.Type, _ request: [UInt8]
    ) throws(ControlFailure) -> Method.Parameters {
        do {
            return try VarlinkMessage.parameters(Method.Parameters.self, of: request)
        } catch let error as DecodingError {
            throw .invalidParameter(error.lastKey ?? "parameters")
        } catch {
            throw .malformedRequest("\(error)")
        }
    }
}

extension String {
    /// The interface of a method name: `org.rowgate.Control` for `org.rowgate.Control.Status`.
    fileprivate var interfacePart: String {
        lastIndex(of: ".").map { String(self[..<$0]) } ?? self
    }
}

extension DecodingError {
    /// Key of the value that could not be decoded.
    fileprivate var lastKey: String? {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context),
            .dataCorrupted(let context):
            context.codingPath.last?.stringValue
        case .keyNotFound(let key, _): key.stringValue
        @unknown default: nil
        }
    }
}
