import CPostgreSQL
import Glibc

/// One connection to a PostgreSQL server by libpq. Use it on one queue.
///
/// Every wait is a `poll` of the socket with a deadline of `patience`. If the server does not answer until
/// then, the call fails and the connection is given up.
final class PostgreSQLConnection {
    /// Location for messages.
    let place: String
    /// Time limit for each answer and for connecting.
    let patience: Duration
    private let handle: OpaquePointer
    private var statements: [String: String] = [:]
    /// Whether the connection can no longer be used.
    private(set) var isLost = false
    private var isClosed = false

    /// Connects.
    ///
    /// - Parameter parameters: libpq's keywords and values; later ones override earlier ones.
    init(
        _ parameters: [(keyword: String, value: String)], place: String, patience: Duration
    ) throws(StoreFailure) {
        (self.place, self.patience) = (place, patience)
        let started = Self.start(parameters)
        guard let started else {
            throw StoreFailure(.other, "open", place, "out of memory for a connection")
        }
        handle = started
        let deadline = ContinuousClock.now + patience
        var events = Int16(POLLOUT)
        while PQstatus(handle) != CONNECTION_BAD {
            guard wait(events, until: deadline) else {
                let failure = timedOut("open")
                close()
                throw failure
            }
            let state = PQconnectPoll(handle)
            if state == PGRES_POLLING_OK { break }
            events = Int16(state == PGRES_POLLING_READING ? POLLIN : POLLOUT)
        }
        guard PQstatus(handle) == CONNECTION_OK, PQsetnonblocking(handle, 1) == 0 else {
            let failure = PostgreSQLFailure.connecting(errorMessage, place)
            close()
            throw failure
        }
    }

    deinit { close() }

    func close() {
        if !isClosed { PQfinish(handle) }
        (isClosed, isLost) = (true, true)
    }

    private static func start(
        _ parameters: [(keyword: String, value: String)]
    ) -> OpaquePointer? {
        let texts = (parameters.map(\.keyword), parameters.map(\.value))
        let keywords = texts.0.map { UnsafePointer(strdup($0)) } + [nil]
        let values = texts.1.map { UnsafePointer(strdup($0)) } + [nil]
        defer {
            for text in keywords + values { free(UnsafeMutablePointer(mutating: text)) }
        }
        return PQconnectStartParams(keywords, values, 1)
    }

    /// Whether the server has closed the connection, as far as known without a query.
    var hasEnded: Bool {
        if !isLost, PQconsumeInput(handle) == 0 || PQstatus(handle) == CONNECTION_BAD {
            isLost = true
        }
        return isLost
    }

    // MARK: Statements

    /// Executes statements without values and ignores their results.
    func execute(_ sql: String, _ operation: String = "write") throws(StoreFailure) {
        try send(operation, sql) { PQsendQuery(handle, sql) }
        PQclear(try answer(operation))
    }

    /// Executes one statement, which is prepared once and cached. The caller must clear the result.
    func result(
        _ sql: String, _ values: [SQLValue], _ operation: String
    ) throws(StoreFailure) -> OpaquePointer {
        let name = try prepared(sql, operation)
        let fields = values.map(\.field)
        let lengths = fields.map { Int32($0?.count ?? 0) }
        let formats = fields.map { _ in Int32(1) }
        // libpq reads these during the call only; an empty value is not NULL.
        let starts = fields.map { field -> UnsafePointer<CChar>? in
            guard let field else { return nil }
            let copy = UnsafeMutablePointer<CChar>.allocate(capacity: max(field.count, 1))
            for (index, byte) in field.enumerated() { copy[index] = CChar(bitPattern: byte) }
            return UnsafePointer(copy)
        }
        defer { for start in starts { start?.deallocate() } }
        try send(operation, sql) {
            PQsendQueryPrepared(
                handle, name, Int32(values.count), starts, lengths, formats, 1)
        }
        return try answer(operation)
    }

    /// Copies rows into a table in binary format. Either all of them or none are copied.
    func copy(_ rows: [[SQLValue]], _ sql: String) throws(StoreFailure) {
        try send("write", sql) { PQsendQuery(handle, sql) }
        PQclear(try answer("write", ofCopy: true))
        var bytes = PostgreSQLCopy.head
        for row in rows {
            PostgreSQLCopy.append(row, to: &bytes)
            if bytes.count > 1 << 16 {
                try put(bytes)
                bytes.removeAll(keepingCapacity: true)
            }
        }
        try put(bytes + PostgreSQLCopy.end)
        try send("write", sql) { PQputCopyEnd(handle, nil) }
        PQclear(try answer("write"))
    }

    private func put(_ bytes: [UInt8]) throws(StoreFailure) {
        let code = bytes.withUnsafeBytes {
            PQputCopyData(
                handle, $0.bindMemory(to: CChar.self).baseAddress, Int32(bytes.count))
        }
        guard code == 1 else { throw lost("write") }
        try flush("write")
    }

    private func prepared(_ sql: String, _ operation: String) throws(StoreFailure) -> String {
        if let known = statements[sql] { return known }
        let name = "s\(statements.count)"
        let text = Self.numbered(sql)
        try send(operation, sql) { PQsendPrepare(handle, name, text, 0, nil) }
        PQclear(try answer(operation))
        statements[sql] = name
        return name
    }

    /// Replaces `?` by `$1` and so on; our statements have no other question mark.
    private static func numbered(_ sql: String) -> String {
        var (text, count) = ("", 0)
        for character in sql {
            if character == "?" {
                count += 1
                text += "$\(count)"
            } else {
                text.append(character)
            }
        }
        return text
    }

    // MARK: Waiting

    private func send(
        _ operation: String, _ sql: String, _ call: () -> Int32
    ) throws(StoreFailure) {
        guard call() == 1 else { throw lost(operation) }
        try flush(operation)
    }

    private func flush(_ operation: String) throws(StoreFailure) {
        let deadline = ContinuousClock.now + patience
        while true {
            let code = PQflush(handle)
            if code == 0 { return }
            guard code == 1 else { throw lost(operation) }
            guard wait(Int16(POLLOUT | POLLIN), until: deadline) else {
                throw timedOut(operation)
            }
            // Server messages must be read meanwhile, or both sides wait for each other.
            guard PQconsumeInput(handle) == 1 else { throw lost(operation) }
        }
    }

    /// Returns the last result, or throws the first failure; for a copy, returns once the server accepts
    /// data.
    private func answer(
        _ operation: String, ofCopy isCopy: Bool = false
    ) throws(StoreFailure) -> OpaquePointer {
        let deadline = ContinuousClock.now + patience
        var (found, failure): (OpaquePointer?, StoreFailure?) = (nil, nil)
        while let result = try next(operation, until: deadline) {
            let status = PQresultStatus(result)
            if status == PGRES_FATAL_ERROR {
                failure = failure ?? PostgreSQLFailure.answer(result, operation, place)
            }
            PQclear(found)
            found = result
            if isCopy, status == PGRES_COPY_IN { break }
        }
        if PQstatus(handle) == CONNECTION_BAD {
            PQclear(found)
            throw lost(operation, failure)
        }
        guard failure == nil, let found else {
            PQclear(found)
            throw failure ?? lost(operation)
        }
        return found
    }

    private func next(
        _ operation: String, until deadline: ContinuousClock.Instant
    ) throws(StoreFailure) -> OpaquePointer? {
        while PQisBusy(handle) == 1 {
            guard wait(Int16(POLLIN), until: deadline) else { throw timedOut(operation) }
            guard PQconsumeInput(handle) == 1 else { throw lost(operation) }
        }
        return PQgetResult(handle)
    }

    private func wait(_ events: Int16, until deadline: ContinuousClock.Instant) -> Bool {
        var entry = pollfd(fd: PQsocket(handle), events: events, revents: 0)
        while true {
            let left = (deadline - ContinuousClock.now).components
            let milliseconds = left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000
            let code = poll(&entry, 1, Int32(clamping: max(0, milliseconds)))
            if code > 0 { return true }
            if code == 0 || errno != EINTR { return false }
        }
    }

    // MARK: Failures

    private var errorMessage: String { String(cString: PQerrorMessage(handle)) }

    private func lost(_ operation: String, _ failure: StoreFailure? = nil) -> StoreFailure {
        isLost = true
        let cause = failure?.cause ?? PostgreSQLFailure.sentence(errorMessage)
        return StoreFailure(
            .unreachable, operation, place, "the connection is lost (\(cause))",
            remedy: PostgreSQLFailure.waiting)
    }

    private func timedOut(_ operation: String) -> StoreFailure {
        isLost = true
        return StoreFailure(
            .unreachable, operation, place,
            "the server has not answered for \(patience.components.seconds) s",
            remedy: PostgreSQLFailure.waiting)
    }
}
