/* Questions to the server. */

export class ServerError extends Error {
  constructor(message, status) {
    super(message);
    this.status = status; // of HTTP; 0 if there was no answer
  }
}

/* The answer as JSON; a ServerError if it is a refusal, or there is none. */
export async function ask(method, path, body) {
  try {
    const headers = body ? { "content-type": "application/json" } : {};
    const response = await fetch(`/api/${path}`, { method, headers, body: body && JSON.stringify(body) });
    const answer = await response.json();
    if (!response.ok) throw new ServerError(answer.error, response.status);
    return answer;
  } catch (error) {
    if (error instanceof ServerError) throw error;
    throw new ServerError("The server does not answer. Is `lostcities play` still running?", 0);
  }
}
