import WebServer

/// Which address shows what.
struct LogbookSite: Sendable {
    /// Nothing from elsewhere, nothing inline, nothing guessed, and no word to others about us.
    static let headers = [
        (name: "Content-Security-Policy", value: "default-src 'self'"),
        (name: "X-Content-Type-Options", value: "nosniff"),
        (name: "Referrer-Policy", value: "no-referrer"),
        (name: "Cache-Control", value: "no-cache"),
    ]
    private static let assets = "/assets/"

    let pages: Pages
    let room: LiveRoom

    func answer(_ request: WebRequest) -> WebAnswer {
        switch request.path {
        case "/", "/wall": return file("wall.html")
        case "/api/v1/live":
            guard room.hasSeat else {
                return .failure(
                    status: 503, code: "too_many_readers",
                    message: "\(LiveRoom.maximumReaders) pages read already; close one")
            }
            return .stream(contentType: "text/event-stream") { [room] in room.open($0) }
        case let path where path.hasPrefix(Self.assets):
            return file(String(path.dropFirst(Self.assets.count)))
        default: return .notFound
        }
    }

    private func file(_ name: String) -> WebAnswer { pages[name].map { .file($0) } ?? .notFound }
}
