import Testing

@testable import HTTPClient

struct HTTPRequestTests {
    private func text(_ body: HTTPRequest.Body) -> String? {
        body.encoded.map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    @Test func encodesForms() {
        let fields = [HTTPField("grant type", "a&b=c+d"), HTTPField("name", "Jörg/1"), HTTPField("name", "")]
        let form = HTTPRequest.Body.form(fields)
        #expect(text(form) == "grant%20type=a%26b%3Dc%2Bd&name=J%C3%B6rg%2F1&name=")
        #expect(form.encoded?.contentType == "application/x-www-form-urlencoded")
        #expect(text(.form([])) == "")
        #expect(text(.none) == nil)
    }

    @Test func encodesMultipartBodies() {
        let body = MultipartBody(
            [
                .init(
                    "file", fileName: "a\"\r\nX: y.fit", contentType: "application/fit", bytes: [0, 13, 10]),
                .init("name", text: "2 km Test für Jörg"),
            ], boundary: "b-1")
        #expect(
            text(.multipart(body)) == """
                --b-1\r
                Content-Disposition: form-data; name="file"; filename="a%22%0D%0AX: y.fit"\r
                Content-Type: application/fit\r
                \r
                \0\r
                \r
                --b-1\r
                Content-Disposition: form-data; name="name"\r
                \r
                2 km Test für Jörg\r
                --b-1--\r

                """)
        #expect(body.contentType == "multipart/form-data; boundary=b-1")
        #expect(MultipartBody([]).boundary != MultipartBody([]).boundary)
        #expect(MultipartBody([]).boundary.utf8.count <= 70)
    }

    @Test(arguments: [
        HTTPField("", "x"), HTTPField("A B", "x"), HTTPField("A:", "x"), HTTPField("A\r\nB", "x"),
        HTTPField("A", "secret\r\nHost: other"), HTTPField("A", "secret\0"), HTTPField("A", "secret\u{7F}"),
    ])
    func rejectsInvalidHeaders(header: HTTPField) {
        let request = HTTPRequest(.get, "https://club.example", headers: [header])
        guard case .failure(let reason) = request.checkedHeaders() else {
            Issue.record("accepted \(header)")
            return
        }
        #expect(!reason.text.contains("secret"))
    }

    @Test(arguments: [("a:b", "x"), ("a\n", "x"), ("a", "x\0")])
    func rejectsInvalidCredentials(user: String, password: String) {
        let request = HTTPRequest(
            .get, "https://club.example", credentials: .init(user: user, password: password))
        #expect(throws: (any Error).self) { try request.checkedHeaders().get() }
    }

    @Test func acceptsCredentialsOfAnyLanguage() throws {
        let request = HTTPRequest(
            .post, "https://club.example", headers: [HTTPField("X-Empty", "")],
            body: .bytes([1], contentType: "application/json"),
            credentials: .init(user: "Jörg", password: "pass: word"))
        #expect(
            try request.checkedHeaders().get() == [
                HTTPField("X-Empty", ""), HTTPField("Content-Type", "application/json"),
            ])
    }

    @Test func showsNoSecrets() {
        let request = HTTPRequest(
            .put, "https://club.example/secret", headers: [HTTPField("Authorization", "secret")],
            body: .form([HTTPField("token", "secret")]),
            credentials: .init(user: "secret", password: "secret"))
        #expect("\(request)" == "PUT request")
    }

    @Test func findsHeadersInAnyCase() {
        let answer = HTTPAnswer(
            status: 204, headers: [HTTPField("Retry-After", "1"), HTTPField("retry-after", "2")])
        #expect(answer.header("RETRY-after") == "1")
        #expect(answer.header("Location") == nil)
        #expect(answer.isSuccess && !HTTPAnswer(status: 301).isSuccess && !HTTPAnswer(status: 199).isSuccess)
    }
}
